import { describe, expect, it } from 'vitest';
import { portions, RequestQueue } from './requests';

const never = new AbortController().signal;

describe('request queue', () => {
  it('starts the most urgent of those that were asked for together', async () => {
    const queue = new RequestQueue(1);
    const started: number[] = [];
    const ask = (urgency: number, signal = never) =>
      queue.run(
        () => urgency,
        signal,
        async () => {
          started.push(urgency);
        },
      );
    await Promise.all([ask(300), ask(20), ask(100)]);
    expect(started).toEqual([20, 100, 300]);
  });

  it('runs no more than its limit at once', async () => {
    const queue = new RequestQueue(2);
    let running = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve));
      running--;
    };
    await Promise.all(Array.from({ length: 7 }, () => queue.run(() => 0, never, work)));
    expect(most).toBe(2);
  });

  it('forgets a request that was aborted before it started', async () => {
    const queue = new RequestQueue(1);
    const ended = new AbortController();
    const asked = queue.run(
      () => 0,
      ended.signal,
      async () => 'started',
    );
    ended.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
    expect(
      await queue.run(
        () => 0,
        never,
        async () => 'next',
      ),
    ).toBe('next');
  });
});

describe('portions', () => {
  it('keeps every name, in order, in URLs that are short enough', () => {
    const names = Array.from({ length: 1000 }, (_, i) => `run/with a long name ${i}`);
    const found = portions(names);
    expect(found.length).toBeGreaterThan(1);
    expect(found.flat()).toEqual(names);
  });
});
