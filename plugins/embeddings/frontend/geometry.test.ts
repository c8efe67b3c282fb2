import { describe, expect, it } from 'vitest';
import { FIRST_CAMERA, pointAt, pointsIn, projected, viewMatrix, zoomed } from './camera';
import { alongComponents, scaled } from './layouts/layouts';

const SIZE = [400, 300] as const;

describe('the camera', () => {
  it('shows the middle of the scene in the middle of the picture, and z upwards', () => {
    const view = viewMatrix(FIRST_CAMERA, ...SIZE, false);
    const { x, y } = projected(view, new Float32Array([0, 0, 0, 0, 0, 1]), ...SIZE);
    expect([x[0], y[0]]).toEqual([200, 150]);
    expect(x[1]).toBeCloseTo(200);
    expect(y[1]).toBeLessThan(100);
  });

  it('shows nearer points larger, and none behind the viewer', () => {
    const front = { ...FIRST_CAMERA, azimuth: 0, elevation: 0 };
    const places = new Float32Array([0.5, -0.5, 0, 0.5, 0.5, 0, 0.5, -9, 0]); // the viewer looks along y
    const { x, depth } = projected(viewMatrix(front, ...SIZE, false), places, ...SIZE);
    expect((x[0] as number) - 200).toBeGreaterThan((x[1] as number) - 200);
    expect(depth[0]).toBeLessThan(depth[1] as number);
    expect(x[2]).toBeNaN();
  });

  it('zooms into the place under the pointer', () => {
    const before = { ...FIRST_CAMERA, x: 0.1 };
    const place = new Float32Array([0.3, -0.2, 0]);
    const at = (camera: typeof before) => projected(viewMatrix(camera, ...SIZE, true), place, ...SIZE);
    const [x, y] = [(2 * (at(before).x[0] as number)) / SIZE[0] - 1, 1 - (2 * (at(before).y[0] as number)) / SIZE[1]];
    const after = at(zoomed(before, 3, x, y));
    expect(after.x[0]).toBeCloseTo(at(before).x[0] as number, 3);
    expect(after.y[0]).toBeCloseTo(at(before).y[0] as number, 3);
  });

  it('shows the first axis to the right and the second upwards in two dimensions, whatever the angle', () => {
    const { x, y } = projected(viewMatrix(FIRST_CAMERA, ...SIZE, true), new Float32Array([1, 0, 5, 0, 1, 0]), ...SIZE);
    expect([x[0], y[0]]).toEqual([200 + 0.86 * 150, 150].map((value) => expect.closeTo(value, 3)));
    expect([x[1], y[1]]).toEqual([200, 150 - 0.86 * 150].map((value) => expect.closeTo(value, 3)));
  });
});

describe('picking', () => {
  const seen = {
    x: new Float32Array([10, 11, 50, NaN]),
    y: new Float32Array([10, 10, 50, NaN]),
    depth: new Float32Array([3, 2, 1, NaN]),
  };

  it('finds the front one of points that cover each other, and no point that is hidden', () => {
    expect(pointAt(seen, null, 10.4, 10, 12)).toBe(1);
    expect(pointAt(seen, new Uint8Array([1, 0, 1, 1]), 10.4, 10, 12)).toBe(0);
    expect(pointAt(seen, null, 30, 30, 12)).toBeNull();
  });

  it('finds all shown points in a box', () => {
    const box = { left: 0, top: 0, right: 20, bottom: 20 };
    expect([...pointsIn(seen, null, box)]).toEqual([0, 1]);
    expect([...pointsIn(seen, new Uint8Array([0, 1, 1, 1]), box)]).toEqual([1]);
  });
});

describe('positions', () => {
  it('are components around their middle, most of them within 1 of it; points without one are left out', () => {
    const coordinates = new Float32Array([1, 3, NaN, 10, 20, NaN, 0, 0, NaN]);
    const points = { points: 3, dimensions: 3, components: 3, shares: [], not_finite: 1, coordinates };
    const { values, finite } = alongComponents(points, [1, 0, null]);
    expect([...finite]).toEqual([1, 1, 0]);
    const unit = Math.hypot(5, 1);
    expect([...values.subarray(0, 6)]).toEqual(
      [-5 / unit, -1 / unit, 0, 5 / unit, 1 / unit, 0].map((v) => expect.closeTo(v, 5)),
    );
    expect([...values.subarray(6)]).toEqual([0, 0, 0]);
  });

  it('keep their proportions when one of them is far out', () => {
    const column = new Float32Array(200).map((_, i) => (i === 0 ? 1e6 : i % 2));
    const { values } = scaled([column, null, null], 200);
    expect(Math.max(...values)).toBeLessThanOrEqual(4.1);
    expect(values.every(Number.isFinite)).toBe(true);
  });
});
