import type { Columns } from '@insight-host/api';
import { fakeTags } from '@insight-host/kit/testing';
import { describe, expect, it } from 'vitest';
import { cameraOf, FIELD, sightOf } from './camera';
import { tableOf } from './card';
import { shapeTable, titleOf, withoutParts } from './catalogue';
import { cornerAt, edgesOf, localPositions, normalsOf, pointAt, projectionOf, spreadOrder } from './geometry';
import { ballOf, boxOf, inBall, rowOf, shapeOf, type Shape } from './shape';

const CORNERS = [-1, -1, 1, 1, -1, 1, 0, 1, 1, 0, 0, -1];

function made(vertices: readonly number[], faces?: readonly number[], more: Partial<Shape> = {}): Shape {
  const columns: Record<string, Float32Array | Int32Array> = { vertices: new Float32Array(vertices) };
  if (faces) columns['faces'] = new Int32Array(faces);
  const described = {
    step: 1,
    sample: 0,
    samples: 1,
    points: vertices.length / 3,
    recorded_points: vertices.length / 3,
    triangles: (faces?.length ?? 0) / 3,
    recorded_triangles: 0,
    scene: {},
    notes: [],
  };
  const answer: Columns = {
    metadata: { shape: JSON.stringify(described) },
    names: Object.keys(columns),
    column: (name) => columns[name] as Float32Array,
  };
  return { ...shapeOf(answer), ...more };
}

describe('a shape', () => {
  it('has a box and the ball around it, of a size also where all points are one', () => {
    expect(boxOf(CORNERS)).toEqual({ low: [-1, -1, -1], high: [1, 1, 1] });
    const ball = ballOf({ low: [0, 0, 0], high: [3, 4, 12] });
    expect(ball).toEqual({ middle: [1.5, 2, 6], radius: 6.5 });
    expect(inBall([3, 4, 12], ball).map((part) => part * 6.5)).toEqual([1.5, 2, 6]);
    expect(ballOf(boxOf([5, 5, 5])).radius).toBeGreaterThan(0);
    expect(ballOf(boxOf([]))).toEqual({ middle: [0, 0, 0], radius: 1 });
  });

  it('keeps small differences of large coordinates', () => {
    const vertices = new Float64Array([5e6, 0, 0, 5e6 + 1e-3, 0, 0]);
    const shape = { ...made([]), vertices, points: 2, box: boxOf(vertices) };
    const local = localPositions(shape, ballOf(shape.box));
    expect(local[0]).toBeCloseTo(-1, 4);
    expect(local[3]).toBeCloseTo(1, 4);
  });

  it('knows which rows its points were', () => {
    expect(rowOf(made(CORNERS), 2)).toBe(2);
    expect(rowOf(made(CORNERS, undefined, { places: Int32Array.of(3, 7, 9, 11) }), 2)).toBe(9);
  });

  it('is a table of points and colours', () => {
    const table = tableOf(
      { t: (key) => key },
      made(CORNERS, undefined, { colors: Uint8Array.from(CORNERS, (_, n) => n) }),
    );
    expect(table.head).toEqual(['table.point', 'x', 'y', 'z', 'table.red', 'table.green', 'table.blue']);
    expect(table.rows[1]).toEqual([1, 1, -1, 1, 3, 4, 5]);
  });
});

describe('triangles', () => {
  it('give normals at right angles to them', () => {
    const normals = normalsOf(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), Int32Array.of(0, 1, 2));
    expect([...normals]).toEqual([0, 0, 127, 0, 0, 0, 127, 0, 0, 0, 127, 0]);
  });

  it('share their sides', () => {
    const edges = edgesOf(Int32Array.of(0, 1, 2, 2, 1, 3), 4);
    expect([...edges]).toEqual([0, 1, 0, 2, 1, 2, 1, 3, 2, 3]);
  });
});

it('draws a beginning of the points that is spread over all of them', () => {
  for (const count of [1, 2, 10, 1000])
    expect([...spreadOrder(count)].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
  const first = [...spreadOrder(1000).subarray(0, 100)].sort((a, b) => a - b);
  expect(Math.max(...first.map((point, n) => point - (first[n - 1] ?? 0)))).toBeLessThan(50);
});

describe('the pointer', () => {
  const sight = sightOf(cameraOf('front'), { up: 'y', projection: 'parallel', field: FIELD }, 200, 200);
  const ball = { middle: [0, 0, 0], radius: 2 } as const;

  it('reads the nearest of the points that are near it', () => {
    const shape = made([0, 0, -1, 0.01, 0, 1, 1, 1, 0]);
    const projection = projectionOf(shape, ball, sight, 200, 200);
    expect(pointAt(projection, 100, 100, 7)).toBe(1);
    expect(pointAt(projection, 10, 10, 7)).toBeNull();
  });

  it('reads a corner of the triangle that hides the others, whichever way it is wound', () => {
    for (const front of [
      [0, 1, 2],
      [2, 1, 0],
    ]) {
      const shape = made([-1, -1, 1, 1, -1, 1, 0, 1, 1, -1, -1, -1, 1, -1, -1, 0, 1, -1], [3, 4, 5, ...front]);
      const projection = projectionOf(shape, ball, sight, 200, 200);
      const at = projection.x[0] as number;
      const found = cornerAt(projection, shape.faces as Int32Array, at + 4, (projection.y[0] as number) - 2);
      expect(found).toBe(0);
      expect(cornerAt(projection, shape.faces as Int32Array, 2, 2)).toBeNull();
    }
  });

  it('does not read what is behind the viewer', () => {
    const behind = sightOf(
      { ...cameraOf('front'), zoom: 20 },
      { up: 'y', projection: 'perspective', field: FIELD },
      200,
      200,
    );
    const projection = projectionOf(made([0, 0, 1.9]), ball, behind, 200, 200);
    expect(pointAt(projection, 100, 100, 500)).toBeNull();
  });
});

describe('the list of shapes', () => {
  it('has one entry for the parts of each, as writers name them', () => {
    expect(
      withoutParts(['a_COLOR', 'a_FACE', 'a_VERTEX', 'b_1', 'b_2', 'b_3', 'c_VERTEX_1', 'c_FACE_1', 'd_FACE', 'e_2']),
    ).toEqual(['a_VERTEX', 'b_1', 'c_VERTEX_1', 'd_FACE', 'e_2']);
    expect(['a/b_VERTEX', 'c_VERTEX_1', 'd_1', 'e', '_1'].map(titleOf)).toEqual(['a/b', 'c_1', 'd', null, null]);
  });

  it('has plain tensors if they are wanted, and shares lists of runs with equal tags', () => {
    const tags = ['a_VERTEX', 'a_FACE'];
    const own = { ...fakeTags({ one: tags, two: tags }), tagsOf: () => tags };
    const clouds = { two: ['latent'], three: ['latent'] };
    const without = shapeTable(own, clouds, false);
    expect(without.runs).toEqual(['one', 'two']);
    expect(without.tagsOf('one')).toBe(without.tagsOf('two'));
    const table = shapeTable(fakeTags({ one: tags, two: tags }), clouds, true);
    expect(table.runs).toEqual(['one', 'two', 'three']);
    expect(table.tagsOf('two')).toEqual(['a_VERTEX', 'latent']);
    expect(table.infoOf('three', 'latent')?.plugin).toBe('tensor');
    expect(table.infoOf('one', 'latent')).toBeUndefined();
  });
});
