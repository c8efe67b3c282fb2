import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawNoMore, drawSoon } from './frames';

describe('what is drawn in frames', () => {
  let now = 0;
  let frames: (() => void)[] = [];
  const nextFrame = (): void => frames.splice(0).forEach((run) => run());

  beforeEach(() => {
    [now, frames] = [0, []];
    vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run));
    vi.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    nextFrame();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('is drawn once, however often it was asked for', () => {
    const draw = vi.fn();
    drawSoon(draw);
    drawSoon(draw);
    expect(frames.length).toBe(1);
    nextFrame();
    expect([draw.mock.calls.length, frames.length]).toEqual([1, 0]);
  });

  it('waits for the next frame when a frame has taken long, in the order in which it was asked for', () => {
    const drawn: number[] = [];
    for (const number of [1, 2, 3])
      drawSoon(() => {
        now += 5;
        drawn.push(number);
      });
    nextFrame();
    expect(drawn).toEqual([1, 2]);
    nextFrame();
    expect(drawn).toEqual([1, 2, 3]);
  });

  it('is drawn although another one throws', () => {
    const draw = vi.fn();
    drawSoon(() => {
      throw new Error('broken');
    });
    drawSoon(draw);
    expect(nextFrame).toThrow('broken');
    nextFrame();
    expect(draw).toHaveBeenCalledOnce();
  });

  it('is not drawn when it has gone', () => {
    const draw = vi.fn();
    drawSoon(draw);
    drawNoMore(draw);
    nextFrame();
    expect(draw).not.toHaveBeenCalled();
  });
});
