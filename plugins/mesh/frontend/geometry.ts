import type { Ball, Shape } from './shape';

/** Corners near zero in float32, whatever the offset of the shape: graphics cards have no float64. */
export function localPositions({ vertices }: Shape, { middle, radius }: Ball): Float32Array {
  const found = new Float32Array(vertices.length);
  for (let at = 0; at < vertices.length; at++)
    found[at] = ((vertices[at] as number) - (middle[at % 3] as number)) / radius;
  return found;
}

/** A normal for each corner, the mean of its triangles weighted by their area: four bytes, of which three count. */
export function normalsOf(positions: Float32Array, faces: Int32Array): Int8Array {
  const sums = new Float32Array(positions.length);
  for (let at = 0; at < faces.length; at += 3) {
    const [a, b, c] = [3 * (faces[at] as number), 3 * (faces[at + 1] as number), 3 * (faces[at + 2] as number)];
    const side = (to: number, axis: number): number =>
      (positions[to + axis] as number) - (positions[a + axis] as number);
    const [ux, uy, uz, vx, vy, vz] = [side(b, 0), side(b, 1), side(b, 2), side(c, 0), side(c, 1), side(c, 2)];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const corner of [a, b, c]) {
      sums[corner] = (sums[corner] as number) + x;
      sums[corner + 1] = (sums[corner + 1] as number) + y;
      sums[corner + 2] = (sums[corner + 2] as number) + z;
    }
  }
  const count = positions.length / 3;
  const normals = new Int8Array(4 * count);
  for (let point = 0; point < count; point++) {
    const [x, y, z] = [sums[3 * point] as number, sums[3 * point + 1] as number, sums[3 * point + 2] as number];
    const length = Math.hypot(x, y, z) || 1;
    normals[4 * point] = Math.round((127 * x) / length);
    normals[4 * point + 1] = Math.round((127 * y) / length);
    normals[4 * point + 2] = Math.round((127 * z) / length);
  }
  return normals;
}

/** The ends of the sides of all triangles; a side of two triangles is there once. */
export function edgesOf(faces: Int32Array, points: number): Uint32Array {
  const keys = new Float64Array(faces.length);
  for (let at = 0; at < faces.length; at++) {
    const [from, to] = [faces[at] as number, faces[at % 3 === 2 ? at - 2 : at + 1] as number];
    keys[at] = Math.min(from, to) * points + Math.max(from, to);
  }
  keys.sort();
  const edges = new Uint32Array(2 * keys.length);
  let used = 0;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as number;
    if (at > 0 && key === keys[at - 1]) continue;
    edges[used++] = Math.floor(key / points);
    edges[used++] = key % points;
  }
  return edges.slice(0, used);
}

/**
 * All points in an order of which every beginning is spread evenly: while the camera moves, a beginning is drawn.
 * Steps of the golden ratio (Weyl's sequence), made coprime to the count.
 */
export function spreadOrder(count: number): Uint32Array {
  let step = Math.max(1, Math.round(count * 0.6180339887498949));
  while (divisor(step, count) !== 1) step++;
  const order = new Uint32Array(count);
  for (let at = 0, point = 0; at < count; at++, point = (point + step) % count) order[at] = point;
  return order;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
