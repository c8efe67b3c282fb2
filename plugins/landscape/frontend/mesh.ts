import type { Point } from '@insight-host/kit/scene';
import { HALF_HEIGHT } from './view';
import type { Landscape } from './landscape';
import type { Extent, LossScale } from './scale';

/** Triangles of a surface in the box of the scene. */
export interface Mesh {
  /** x, y, z and the normal of each point of the grid. */
  readonly vertices: Float32Array;
  readonly indices: Uint32Array;
}

export const VALUES = 6; // numbers of a vertex

export function inBox(
  { x: [x0, x1], y: [y0, y1] }: Extent,
  scale: LossScale,
  x: number,
  y: number,
  loss: number,
): Point {
  return [(2 * (x - x0)) / (x1 - x0) - 1, (2 * (y - y0)) / (y1 - y0) - 1, (2 * scale.share(loss) - 1) * HALF_HEIGHT];
}

const coarser = new WeakMap<Landscape, Landscape>();

/**
 * With at most so many points a side, for a picture that is soon replaced; the first and the last of each axis stay.
 */
export function coarse(landscape: Landscape, most: number): Landscape {
  const { x, y, z } = landscape;
  if (Math.max(x.length, y.length) <= most) return landscape;
  const known = coarser.get(landscape);
  if (known && known.x.length <= most && known.y.length <= most) return known;
  const places = (count: number): readonly number[] =>
    Array.from({ length: Math.min(most, count) }, (_, n) =>
      Math.round((n * (count - 1)) / (Math.min(most, count) - 1)),
    );
  const [columns, rows] = [places(x.length), places(y.length)];
  const found = {
    ...landscape,
    x: Float64Array.from(columns, (at) => x[at] as number),
    y: Float64Array.from(rows, (at) => y[at] as number),
    z: Float64Array.from(rows.flatMap((row) => columns.map((column) => z[row * x.length + column] as number))),
  };
  coarser.set(landscape, found);
  return found;
}

/** Points whose loss is not a number leave a hole. */
export function meshOf({ x, y, z }: Landscape, extent: Extent, scale: LossScale): Mesh {
  const [columns, rows] = [x.length, y.length];
  const vertices = new Float32Array(columns * rows * VALUES);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      vertices.set(inBox(extent, scale, x[column] as number, y[row] as number, z[at] as number), at * VALUES);
    }
  }
  const value = (column: number, row: number, part: number): number =>
    vertices[(row * columns + column) * VALUES + part] as number;
  const slope = (a: readonly [number, number], b: readonly [number, number], part: number): number => {
    const run = value(...b, part) - value(...a, part);
    const rise = value(...b, 2) - value(...a, 2);
    return run !== 0 && Number.isFinite(rise) ? rise / run : 0;
  };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const dx = slope([Math.max(0, column - 1), row], [Math.min(columns - 1, column + 1), row], 0);
      const dy = slope([column, Math.max(0, row - 1)], [column, Math.min(rows - 1, row + 1)], 1);
      const size = Math.hypot(dx, dy, 1);
      vertices.set([-dx / size, -dy / size, 1 / size], (row * columns + column) * VALUES + 3);
    }
  }
  const indices = new Uint32Array((columns - 1) * (rows - 1) * 6);
  let used = 0;
  const there = (at: number): boolean => Number.isFinite(z[at]);
  for (let row = 0; row + 1 < rows; row++) {
    for (let column = 0; column + 1 < columns; column++) {
      const a = row * columns + column;
      const [b, c, d] = [a + 1, a + columns, a + columns + 1];
      // Of a square with one bad corner the other half stays: the diagonal is laid so that it can.
      const triangles =
        there(b) && there(c)
          ? [
              [a, b, c],
              [d, c, b],
            ]
          : [
              [a, b, d],
              [a, d, c],
            ];
      for (const corners of triangles) {
        if (!corners.every(there)) continue;
        indices.set(corners, used);
        used += 3;
      }
    }
  }
  return { vertices, indices: indices.subarray(0, used) };
}
