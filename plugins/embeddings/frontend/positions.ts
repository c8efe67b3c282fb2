import type { Points } from './source';

const CORE = 0.99; // of the points are within 1 of the middle; the rest may be far out

/** Where points are in the scene. `finite` is 0 for points that are nowhere. */
export interface Positions {
  /** x, y and z of one point after the other. */
  readonly values: Float32Array;
  readonly finite: Uint8Array;
}

/** Points by three of their components, the third 0 if it is null or missing. */
export function alongComponents(points: Points, axes: readonly [number, number, number | null]): Positions {
  const columns = axes.map((axis) =>
    axis !== null && axis < points.components
      ? points.coordinates.subarray(axis * points.points, (axis + 1) * points.points)
      : null,
  );
  return scaled(columns, points.points, points.coordinates.subarray(0, points.points));
}

/** Columns around their middle, so that most points are within 1 of it. */
export function scaled(
  columns: readonly (Float32Array | null)[],
  count: number,
  known: Float32Array | null = null,
): Positions {
  const finite = new Uint8Array(count);
  for (let i = 0; i < count; i++) finite[i] = known && Number.isNaN(known[i]) ? 0 : 1;
  const values = new Float32Array(3 * count);
  columns.forEach((column, axis) => {
    if (!column) return;
    let [sum, size] = [0, 0];
    for (let i = 0; i < count; i++)
      if (finite[i]) {
        sum += column[i] as number;
        size++;
      }
    const middle = sum / Math.max(1, size);
    for (let i = 0; i < count; i++) if (finite[i]) values[3 * i + axis] = (column[i] as number) - middle;
  });
  const radii = new Float32Array(count);
  for (let i = 0; i < count; i++)
    radii[i] = Math.hypot(values[3 * i] as number, values[3 * i + 1] as number, values[3 * i + 2] as number);
  radii.sort();
  const farthest = radii[count - 1] ?? 0;
  const unit = Math.max(radii[Math.floor(CORE * (count - 1))] ?? 0, farthest / 4) || 1;
  for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) / unit;
  return { values, finite };
}
