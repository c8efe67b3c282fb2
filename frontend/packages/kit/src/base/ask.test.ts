import { effect, signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Latest } from './ask';
import { RequestQueue } from './requests';

describe('what a card wants to know', () => {
  let started: string[];
  let aborted: string[];
  let latest: Latest<string>;
  const answer =
    (key: string, ms: number) =>
    (signal: AbortSignal): Promise<string> => {
      started.push(key);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => (key.startsWith('bad') ? reject(new Error(`${key}!`)) : resolve(key)), ms);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          aborted.push(key);
          reject(signal.reason);
        });
      });
    };
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

  beforeEach(() => {
    vi.useFakeTimers();
    [started, aborted] = [[], []];
    latest = new Latest<string>(new RequestQueue(2));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is the latest wish; those in between are never asked for', async () => {
    for (const key of ['1', '2', '3', '4']) latest.want(key, answer(key, 50));
    await pass(60);
    expect(latest.answer.value).toEqual({ key: '1', value: '1' });
    await pass(60);
    expect(latest.answer.value).toEqual({ key: '4', value: '4' });
    expect([started, aborted]).toEqual([['1', '4'], []]);
  });

  it('stops waiting for a request that was superseded', async () => {
    latest.want('slow', answer('slow', 60_000));
    await pass(100);
    latest.want('next', answer('next', 50));
    await pass(600);
    expect(latest.answer.value?.value).toBe('next');
    expect(aborted).toEqual(['slow']);
    expect(latest.busy.value).toBe(false);
  });

  it('is what the user came back to while something else was wanted', async () => {
    latest.want('slow', answer('slow', 1000));
    await pass(100);
    latest.want('other', answer('other', 50));
    latest.want('slow', answer('slow', 1000));
    await pass(1000);
    expect([latest.answer.value?.key, started, aborted]).toEqual(['slow', ['slow'], []]);
  });

  it('starts again if it is requested just as it ends', async () => {
    latest.want('slow', answer('slow', 1000));
    await pass(100);
    latest.rest();
    latest.want('slow', answer('slow', 1000));
    await pass(2000);
    expect([latest.answer.value?.key, latest.busy.value, started]).toEqual(['slow', false, ['slow', 'slow']]);
  });

  it.each([new TypeError('Failed to fetch'), Object.assign(new Error('away'), { status: 503 })])(
    'is asked for again while nobody answers: %s',
    async (failure) => {
      let asked = 0;
      const away = async (): Promise<string> => {
        if (++asked < 3) throw failure;
        return 'back';
      };
      latest.want('1', away);
      await pass(10);
      expect(latest.error.value?.reason).toBe(failure.message);
      await pass(1000);
      expect(asked).toBe(2);
      await pass(2000);
      expect([asked, latest.answer.value?.value, latest.error.value]).toEqual([3, 'back', null]);
      await pass(60_000);
      expect(asked).toBe(3);
    },
  );

  it('is not asked for again when it is not wanted any more, or when the answer is no', async () => {
    let asked = 0;
    const away = async (): Promise<string> => {
      asked++;
      throw new TypeError('Failed to fetch');
    };
    latest.want('1', away);
    await pass(10);
    latest.rest();
    await pass(60_000);
    expect(asked).toBe(1);
    latest.want('bad', answer('bad', 10));
    await pass(60_000);
    expect(started).toEqual(['bad']);
  });

  it('keeps the old answer with an error, until a later answer clears the error', async () => {
    latest.want('1', answer('1', 10));
    await pass(20);
    latest.want('bad', answer('bad', 10));
    await pass(20);
    expect([latest.answer.value?.key, latest.error.value]).toEqual([
      '1',
      { key: 'bad', reason: 'bad!', isAway: false },
    ]);
    latest.want('bad', answer('bad', 10));
    expect(started).toEqual(['1', 'bad']);
    latest.retry();
    await pass(20);
    expect(started).toEqual(['1', 'bad', 'bad']);
    latest.want('2', answer('2', 10));
    await pass(20);
    expect([latest.answer.value?.key, latest.error.value]).toEqual(['2', null]);
  });

  it('is not asked for again when it is there', async () => {
    latest.want('1', answer('1', 10));
    await pass(20);
    latest.want('2', answer('2', 50));
    await pass(20);
    latest.want('1', answer('1', 10));
    await pass(100);
    expect([latest.answer.value?.key, latest.error.value]).toEqual(['1', null]);
    latest.rest();
    latest.want('1', answer('1', 10));
    await pass(20);
    expect([started, aborted]).toEqual([['1', '2'], ['2']]);
    latest.want('2', answer('2', 10));
    await pass(20);
    expect(latest.answer.value?.key).toBe('2');
  });

  it('may be wanted in an effect, which its answer does not run again', async () => {
    const question = signal('first');
    let runs = 0;
    const stop = effect(() => {
      runs++;
      latest.want(question.value, answer(question.value, 10));
    });
    await pass(20);
    question.value = 'second';
    await pass(20);
    expect([latest.answer.value?.value, runs, started]).toEqual(['second', 2, ['first', 'second']]);
    latest.forget();
    expect([latest.answer.value, runs]).toEqual([null, 2]);
    stop();
  });

  it('ends when the card leaves the screen', async () => {
    latest.want('1', answer('1', 50));
    await pass(10);
    latest.rest();
    await pass(100);
    expect([latest.answer.value, latest.error.value, latest.busy.value, aborted]).toEqual([null, null, false, ['1']]);
    latest.want('1', answer('1', 50));
    await pass(60);
    expect(latest.answer.value?.key).toBe('1');
  });
});
