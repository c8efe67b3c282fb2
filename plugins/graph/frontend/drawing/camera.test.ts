import { describe, expect, it } from 'vitest';
import {
  cameraCodec,
  CORNER,
  fitted,
  followed,
  framed,
  opening,
  panned,
  resized,
  seen,
  transformOf,
  zoomed,
  type Camera,
} from './camera';
import { opened, record } from '../records';

const view = { width: 800, height: 600 };
const camera: Camera = { x: 100, y: 50, scale: 1 };
const onScreen = (at: Camera, x: number, y: number): readonly [number, number] => {
  const [dx, dy, scale] = transformOf(at, view);
  return [x * scale + dx, y * scale + dy];
};

describe('the camera', () => {
  it('shows all of a small drawing no larger than it is', () => {
    expect(fitted({ width: 100, height: 80 }, view)).toEqual({ x: 50, y: 40, scale: 1 });
    const part = seen(fitted({ width: 4000, height: 300 }, view), view);
    expect([part.x <= 0, part.x + part.width >= 4000]).toEqual([true, true]);
  });
  it('shows nothing below the map where that costs little', () => {
    const clear = (at: Camera, width: number, height: number): boolean => {
      const [right, bottom] = onScreen(at, width, height);
      return right <= view.width - CORNER.width + 1e-6 || bottom <= view.height - CORNER.height + 1e-6;
    };
    for (const [width, height] of [
      [560, 540],
      [760, 420],
      [300, 560],
      [2000, 1500],
      [700, 520],
    ] as const)
      expect([width, height, clear(fitted({ width, height }, view), width, height)]).toEqual([width, height, true]);
    // half the size would be too much
    expect(fitted({ width: 8000, height: 6000 }, { width: 360, height: 280 }).scale).toBeCloseTo((280 - 48) / 6000);
    const part = { x: 40, y: 50, width: 740, height: 530 };
    expect(framed(part, view, camera).scale).toBe(1);
  });
  it('keeps the upper left corner when the view becomes another', () => {
    const [left, top] = [seen(camera, view).x, seen(camera, view).y];
    const after = { width: 500, height: 640 };
    const part = seen(resized(camera, view, after), after);
    expect([part.x, part.y]).toEqual([left, top]);
  });
  it('opens a large one at its upper end, to be read', () => {
    const at = opening({ width: 900, height: 9000 }, view);
    expect(at.scale).toBeGreaterThan(0.5);
    expect(seen(at, view).y).toBeLessThanOrEqual(0);
    expect(seen(at, view).y).toBeGreaterThan(-80);
  });
  it('keeps the place under the pointer when it zooms', () => {
    const next = zoomed(camera, view, 1.7, 650, 120);
    const [x, y] = [camera.x + (650 - 400), camera.y + (120 - 300)];
    const [px, py] = onScreen(next, x, y);
    expect(px).toBeCloseTo(650);
    expect(py).toBeCloseTo(120);
    expect(zoomed(camera, view, 1e9, 0, 0).scale).toBe(4);
    expect(zoomed(camera, view, 1e-9, 0, 0).scale).toBe(0.02);
  });
  it('moves with the hand', () => {
    expect(panned({ ...camera, scale: 2 }, 10, -20)).toEqual({ x: 95, y: 60, scale: 2 });
  });
  it('leaves a node where it was on the screen when the drawing changes', () => {
    const before = { x: 30, y: 40, width: 80, height: 30 };
    const after = { x: 530, y: 140, width: 400, height: 900 };
    expect(onScreen(followed(camera, before, after), after.x, after.y)).toEqual(onScreen(camera, before.x, before.y));
  });
  it('brings a node into the middle, and makes it fit', () => {
    expect(framed({ x: 0, y: 0, width: 100, height: 40 }, view, { ...camera, scale: 0.1 })).toEqual({
      x: 50,
      y: 20,
      scale: 0.8,
    });
    expect(framed({ x: 0, y: 0, width: 100, height: 40 }, view, { ...camera, scale: 1.3 }).scale).toBe(1.3);
    expect(framed({ x: 0, y: 0, width: 3000, height: 40 }, view, camera).scale).toBeCloseTo(752 / 3000);
  });
});

describe('the URL', () => {
  it('says where the camera is', () => {
    expect(cameraCodec.parse(cameraCodec.format({ x: 12.4, y: -7.6, scale: 0.51239 }))).toEqual({
      x: 12,
      y: -8,
      scale: 0.512,
    });
    for (const text of [null, '', '1,2', '1,2,0', 'a,b,c', '1,2,99']) expect(cameraCodec.parse(text)).toBeNull();
  });
  it('says which graph is shown', () => {
    for (const key of [
      { run: 'a;b', tag: 'x~,=%', index: 0 },
      { run: '', tag: '', index: 3 },
    ])
      expect(record.parse(record.format(key))).toEqual(key);
    for (const text of [null, 'a', 'a;b;x', '%zz;b']) expect(record.parse(text)).toBeNull();
  });
  it('says what is open, also that nothing is', () => {
    for (const ids of [null, [], ['a/b;c', 'd']]) expect(opened.parse(opened.format(ids))).toEqual(ids);
  });
});
