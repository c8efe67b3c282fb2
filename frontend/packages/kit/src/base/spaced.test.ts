import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Spaced } from './requests';

describe('what is done at a distance', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is done at once, then no sooner than the distance, and once however often it was asked', () => {
    const run = vi.fn();
    const spaced = new Spaced(1000, run);
    spaced.ask();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(1);
    for (let i = 0; i < 5; i += 1) spaced.ask();
    vi.advanceTimersByTime(900);
    expect(run).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(200);
    expect(run).toHaveBeenCalledTimes(2);
    spaced.ask();
    spaced.cancel();
    vi.advanceTimersByTime(5000);
    expect(run).toHaveBeenCalledTimes(2);
  });
});
