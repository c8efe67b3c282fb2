import type { Theme } from '@insight-host/api';
import { afterEach, expect, it, vi } from 'vitest';
import { Screen, type Drawn } from './screen';

afterEach(() => vi.unstubAllGlobals());

it('a chart whose contents are not known yet is drawn once they are, not empty before', () => {
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
  const context = vi
    .spyOn(HTMLCanvasElement.prototype, 'getContext')
    .mockReturnValue({ setTransform: () => undefined, clearRect: () => undefined } as never);
  let pending = true;
  const draw = vi.fn();
  const chart = {
    caption: () => ({ theme: { mode: 'light', token: () => '#000000' } as unknown as Theme }),
    layOut: () => ({}),
    isPending: () => pending,
    follow: () => false,
    leave: () => undefined,
    draw,
  } as unknown as Drawn<object>;
  const screen = new Screen(document.createElement('div'), chart);
  resize();
  screen.refresh('picture');
  expect([draw.mock.calls.length, context.mock.calls.length]).toEqual([0, 0]);
  pending = false;
  screen.refresh('picture');
  expect(draw).toHaveBeenCalledOnce();
  expect(screen.root.querySelector('canvas')?.width).toBe(300);
});
