import type { Theme } from '@insight-host/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawNoMore, drawSoon, Screen, type Drawn } from './screen';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A chart that draws by `draw`, and what gives it a size. */
function shown(draw: () => void, isPending = (): boolean => false): readonly [Screen<object>, () => void] {
  let resize: () => void = () => undefined;
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(listener: (entries: unknown[]) => void) {
        resize = () => listener([{ devicePixelContentBoxSize: [{ inlineSize: 300, blockSize: 200 }] }]);
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
  vi.spyOn(HTMLCanvasElement.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 300, 200));
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => (run(), 0));
  const chart = {
    caption: () => ({ theme: { mode: 'light', token: () => '#000000' } as unknown as Theme }),
    layOut: () => ({}),
    isPending,
    follow: () => false,
    leave: () => undefined,
    draw,
  } as unknown as Drawn<object>;
  return [new Screen(document.createElement('div'), chart), resize];
}

it('a chart whose contents are not known yet is drawn once they are, not empty before', () => {
  const context = vi
    .spyOn(HTMLCanvasElement.prototype, 'getContext')
    .mockReturnValue({ setTransform: () => undefined, clearRect: () => undefined } as never);
  let pending = true;
  const draw = vi.fn();
  const [screen, resize] = shown(draw, () => pending);
  resize();
  screen.refresh('picture');
  expect([draw.mock.calls.length, context.mock.calls.length]).toEqual([0, 0]);
  pending = false;
  screen.refresh('picture');
  expect(draw).toHaveBeenCalledOnce();
  expect(screen.root.querySelector('canvas')?.width).toBe(300);
});

it('a chart draws on the bitmap of one that has gone, which is empty', () => {
  const clearRect = vi.fn();
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({
    setTransform: () => undefined,
    clearRect,
  } as never);
  const draw = vi.fn();
  const [first, resize] = shown(draw);
  resize();
  const canvas = first.root.querySelector('canvas');
  clearRect.mockClear();
  first.dispose();
  expect(clearRect).toHaveBeenCalledWith(0, 0, 300, 200);
  const [second] = shown(draw);
  expect(second.root.querySelector('canvas')).toBe(canvas);
  expect(draw).toHaveBeenCalledOnce();
});

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
