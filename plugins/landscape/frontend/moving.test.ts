import { expect, it, vi } from 'vitest';
import { momentsOf } from './animation';
import { FIRST_CAMERA } from './camera';
import { ContourLines, type DrawPort } from './contour_lines';
import type { DrawRequest } from './contour_worker';
import { measuredText } from './flatness_rows';
import { gifOf, type GifPort } from './gif';
import { relativeToEnd } from './landscape';
import type { Contours } from './plan_lines';
import { landscapeOf, pathOf } from './testing';

const frame = { canvas: document.createElement('canvas'), milliseconds: 80 };

/** A worker that answers each request at once. */
function gifPort(asked: unknown[]): GifPort {
  const port: GifPort = {
    postMessage(request) {
      asked.push(request === 'end' ? 'end' : request.delay);
      const file = request === 'end' ? { file: new Uint8Array([71, 73, 70]) } : {};
      queueMicrotask(() => port.onmessage?.({ data: file } as MessageEvent));
    },
    terminate: () => asked.push('terminated'),
    onmessage: null,
    onerror: null,
  };
  return port;
}

it('writes the frames of an animation in order and ends its worker, also when it is stopped', async () => {
  const context = { getImageData: () => ({ data: new Uint8ClampedArray(4) }) };
  vi.spyOn(frame.canvas, 'getContext').mockReturnValue(context as unknown as null);
  const asked: unknown[] = [];
  const done: number[] = [];
  const file = await gifOf(
    3,
    () => frame,
    new AbortController().signal,
    (count) => done.push(count),
    () => gifPort(asked),
  );
  expect([file.type, file.size]).toEqual(['image/gif', 3]);
  expect(asked).toEqual([80, 80, 80, 'end', 'terminated']);
  expect(done).toEqual([1, 2, 3]);
  const stop = new AbortController();
  asked.length = 0;
  const stopped = gifOf(
    9,
    () => frame,
    stop.signal,
    (count) => count === 2 && stop.abort(),
    () => gifPort(asked),
  );
  await expect(stopped).rejects.toThrow();
  expect(asked).toEqual([80, 80, 'terminated']);
});

it('moves along the whole path, or once around a surface', () => {
  const along = momentsOf(5, FIRST_CAMERA);
  expect([along[0]?.progress, along.at(-1)?.progress]).toEqual([0, 5]);
  expect(momentsOf(10_000, FIRST_CAMERA).length).toBe(97); // 8 s
  const around = momentsOf(0, FIRST_CAMERA);
  expect(new Set(around.map(({ camera }) => JSON.stringify(camera))).size).toBe(around.length);
});

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

it('shows losses above that at the end', () => {
  const path = pathOf([1, 2], [0, 1], [0, 0], [5, 2]);
  const landscape = landscapeOf([0, 1], [0, 1], [2, 3, NaN, 6], path);
  const shown = relativeToEnd(landscape);
  expect([...shown.z]).toEqual([0, 1, NaN, 4]);
  expect([shown.low, shown.high, ...(shown.path?.z ?? [])]).toEqual([0, 4, 3, 0]);
  expect(relativeToEnd(landscape)).toBe(shown);
  const known = { ...landscape, about: { ...landscape.about, convergence: [0, 0, 1] as const } };
  expect(relativeToEnd(known).low).toBe(1);
});

it('says how far a value may be off', () => {
  expect(measuredText(null)).toBe('—');
  expect(measuredText({ value: 1.23456, error: null })).toBe('1.23');
  expect(measuredText({ value: 1.23456, error: 0.00001 })).toBe('1.235');
  expect(measuredText({ value: 1.23456, error: 0.04 })).toBe('1.23 ± 0.04');
  expect(measuredText({ value: 1.2, error: 3 })).toBe('1 ± 3');
});
