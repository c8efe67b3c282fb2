import type { Theme } from '@insight-host/api';
import { afterEach, expect, it, vi } from 'vitest';
import { Screen, type Drawn } from './screen';

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
