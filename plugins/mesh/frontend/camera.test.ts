import { describe, expect, it } from 'vitest';
import { cameraIn, textOf } from './board';
import { axesOf, dot, projected, turned, type Point } from '@insight-host/kit/scene';
import {
  cameraOf,
  FIELD,
  moved,
  placedCamera,
  sightOf,
  VIEWS,
  zoomed,
  type Camera,
  type Lens,
  type View,
} from './camera';

const lens: Lens = { up: 'y', projection: 'perspective', field: FIELD };
const near = (a: Point, b: Point): void => a.forEach((part, axis) => expect(part).toBeCloseTo(b[axis] as number, 5));

describe('a camera', () => {
  it('sees from the side that its view is named after, with the chosen axis up', () => {
    const seen: Readonly<Record<View, Point>> = {
      corner: [0.4698, 0.342, 0.8138],
      front: [0, 0, 1],
      back: [0, 0, -1],
      left: [-1, 0, 0],
      right: [1, 0, 0],
      top: [0, 1, 0],
      bottom: [0, -1, 0],
    };
    for (const [view, back] of Object.entries(seen)) {
      const found = axesOf(VIEWS[view as View], 'y').back;
      found.forEach((part, axis) => expect(part).toBeCloseTo(back[axis] as number, 3));
      const [x, y, z] = back;
      axesOf(VIEWS[view as View], 'z').back.forEach((part, axis) =>
        expect(part).toBeCloseTo([x, -z, y][axis] as number, 3),
      );
    }
  });

  it('has axes at right angles, of length 1, right-handed', () => {
    for (const up of ['y', 'z'] as const) {
      const { right, up: above, back } = axesOf({ azimuth: 37, elevation: -21 }, up);
      for (const [a, b, expected] of [
        [right, right, 1],
        [above, above, 1],
        [back, back, 1],
        [right, above, 0],
        [right, back, 0],
        [above, back, 0],
      ] as const)
        expect(dot(a, b)).toBeCloseTo(expected, 9);
      const cross: Point = [
        right[1] * above[2] - right[2] * above[1],
        right[2] * above[0] - right[0] * above[2],
        right[0] * above[1] - right[1] * above[0],
      ];
      near(cross, back);
    }
  });

  it.each(['perspective', 'parallel'] as const)('has its target in the middle of a %s picture', (projection) => {
    const camera: Camera = { azimuth: 50, elevation: 10, zoom: 2, target: [0.3, -0.2, 0.1] };
    const sight = sightOf(camera, { ...lens, projection }, 400, 300);
    const [x, y, depth] = projected(sight.matrix, camera.target, 400, 300);
    expect([x, y]).toEqual([expect.closeTo(200, 6), expect.closeTo(150, 6)]);
    expect(Math.abs(depth)).toBeLessThan(1);
    // what is nearer to the viewer has the smaller depth
    const [, , nearer] = projected(
      sight.matrix,
      [0.3 + sight.back[0] * 0.5, -0.2 + sight.back[1] * 0.5, 0.1 + sight.back[2] * 0.5],
      400,
      300,
    );
    expect(nearer).toBeLessThan(depth);
  });

  it('moves what is shown by as many pixels as the pointer', () => {
    for (const projection of ['perspective', 'parallel'] as const) {
      const camera: Camera = { azimuth: 20, elevation: 30, zoom: 1.5, target: [0, 0, 0] };
      const next = moved(camera, { ...lens, projection }, 40, -25, 400, 300);
      const [x, y] = projected(sightOf(next, { ...lens, projection }, 400, 300).matrix, [0, 0, 0], 400, 300);
      expect([x, y]).toEqual([expect.closeTo(240, 6), expect.closeTo(125, 6)]);
    }
  });

  it('turns around, and not over the poles', () => {
    expect(turned(cameraOf('front'), 190, 100)).toMatchObject({ azimuth: -170, elevation: 90 });
    expect(zoomed(cameraOf('front'), 1e9).zoom).toBe(500);
  });

  it('stands where the writer put it', () => {
    for (const up of ['y', 'z'] as const) {
      const camera = placedCamera([1, 2, 3], [0.5, 0, 0], { ...lens, up });
      const sight = sightOf(camera as Camera, { ...lens, up }, 400, 400);
      near(sight.eye, [1, 2, 3]);
    }
    expect(placedCamera([1, 1, 1], [1, 1, 1], lens)).toBeNull();
  });

  it('is in the link', () => {
    for (const camera of [
      cameraOf('corner'),
      { azimuth: -12.3, elevation: 4.5, zoom: 2.5, target: [0.1, -0.2, 3] },
    ] as const)
      expect(cameraIn(textOf(camera))).toEqual(camera);
    for (const text of ['', '1_2', '1_2_0', '1_99_1', 'a_b_c', '1_2_3_4', '1_2_Infinity'])
      expect(cameraIn(text)).toBeNull();
  });
});
