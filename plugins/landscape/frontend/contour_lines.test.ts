import { expect, it } from 'vitest';
import { ContourLines, type DrawPort } from './contour_lines';
import type { DrawRequest } from './contour_worker';
import type { Contours } from './plan_lines';

const contours = (side: number, levels: number): Contours => ({
  grids: [
    {
      landscape: { x: new Float64Array(side), y: new Float64Array(side), z: new Float64Array(side * side) },
      run: 'a',
      color: '#123456',
    },
  ],
  filled: false,
  levels: Array.from({ length: levels }, (_, n) => n),
  extent: { x: [0, 1], y: [0, 1] },
  plot: { left: 0, top: 0, width: 10, height: 10 },
  ramp: 'gray',
  front: null,
  surface: '#fff',
  hole: '#000',
});

it('gives large landscapes to the worker, their grids once, and goes on without it when it fails', async () => {
  const asked: DrawRequest[] = [];
  const port: DrawPort = {
    postMessage: (request) => void asked.push(request as DrawRequest),
    terminate: () => undefined,
    onmessage: null,
    onerror: null,
  };
  const lines = new ContourLines(() => port, true);
  const large = contours(256, 20);
  expect([lines.isHeavy(contours(40, 20)), lines.isHeavy(large)]).toEqual([false, true]);
  const [first, second] = [lines.draw('stage', large, 10, 10, 1), lines.draw('stage', large, 20, 10, 1)];
  expect(asked.map(({ grids }) => Object.keys(grids).length)).toEqual([1, 0]);
  const image = { width: 20 } as ImageBitmap;
  const answer = (at: number, found: object): void =>
    port.onmessage?.({ data: { number: asked[at]?.number, ...found } } as MessageEvent);
  answer(0, {}); // a newer one was asked for
  answer(1, { image });
  expect([await first, await second]).toEqual([null, image]);
  const third = lines.draw('stage', large, 10, 10, 1);
  answer(2, { error: 'out of memory' });
  expect(await third).toBeNull();
  expect(lines.isHeavy(large)).toBe(false);
});
