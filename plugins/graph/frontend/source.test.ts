import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { patient } from './source';

const failure = (status: number): Error => Object.assign(new Error(`status ${status}`), { status });

describe('what is asked for while the host is away', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is asked for again until it answers', async () => {
    const ask = vi
      .fn()
      .mockRejectedValueOnce(new TypeError('Failed to fetch'))
      .mockRejectedValueOnce(failure(503))
      .mockRejectedValueOnce(failure(0))
      .mockResolvedValue('there');
    const answer = patient<string>(ask, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(20_000);
    await expect(answer).resolves.toBe('there');
    expect(ask).toHaveBeenCalledTimes(4);
  });
  it('fails where asking again would not help', async () => {
    for (const error of [failure(404), failure(422), new Error('wrong')]) {
      const ask = vi.fn().mockRejectedValue(error);
      await expect(patient(ask, new AbortController().signal)).rejects.toBe(error);
      expect(ask).toHaveBeenCalledTimes(1);
    }
  });
  it('is given up when nobody wants it any more', async () => {
    const stop = new AbortController();
    const ask = vi.fn().mockRejectedValue(failure(0));
    const answer = patient(ask, stop.signal);
    const ended = expect(answer).rejects.toThrow();
    await vi.advanceTimersByTimeAsync(100);
    stop.abort();
    await vi.advanceTimersByTimeAsync(20_000);
    await ended;
    expect(ask).toHaveBeenCalledTimes(1);
  });
});
