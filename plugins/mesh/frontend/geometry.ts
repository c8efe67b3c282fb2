/** Geometry of shapes: what the renderer needs of their corners, and where their points are in a picture. */
import type { Sight } from './camera';
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

/** The places of the points of a shape in a picture. */
export interface Projection {
  /** Pixels from the left and from the top. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** The smaller the nearer; NaN of points that the camera does not see. */
  readonly depth: Float32Array;
}

export function projectionOf(
  shape: Shape,
  frame: Ball,
  { matrix: m }: Sight,
  width: number,
  height: number,
): Projection {
  const { vertices, points } = shape;
  const [x, y, depth] = [new Float32Array(points), new Float32Array(points), new Float32Array(points)];
  const [ox, oy, oz] = frame.middle;
  const row = (r: number): readonly [number, number, number, number] => [
    (m[r] as number) / frame.radius,
    (m[4 + r] as number) / frame.radius,
    (m[8 + r] as number) / frame.radius,
    m[12 + r] as number,
  ];
  const [[xa, xb, xc, xd], [ya, yb, yc, yd], [za, zb, zc, zd], [wa, wb, wc, wd]] = [row(0), row(1), row(2), row(3)];
  for (let point = 0, at = 0; point < points; point++, at += 3) {
    const a = (vertices[at] as number) - ox;
    const b = (vertices[at + 1] as number) - oy;
    const c = (vertices[at + 2] as number) - oz;
    const w = wa * a + wb * b + wc * c + wd;
    const far = (za * a + zb * b + zc * c + zd) / w;
    x[point] = (((xa * a + xb * b + xc * c + xd) / w + 1) / 2) * width;
    y[point] = ((1 - (ya * a + yb * b + yc * c + yd) / w) / 2) * height;
    depth[point] = w > 0 && far >= -1 && far <= 1 ? far : NaN;
  }
  return { x, y, depth };
}

/** The point that is seen at a pixel: the nearest of those at most `within` pixels away; null without one. */
export function pointAt({ x, y, depth }: Projection, px: number, py: number, within: number): number | null {
  let found: number | null = null;
  for (let point = 0; point < x.length; point++) {
    const [dx, dy] = [(x[point] as number) - px, (y[point] as number) - py];
    if (dx * dx + dy * dy > within * within || Number.isNaN(depth[point])) continue;
    if (found === null || (depth[point] as number) < (depth[found] as number)) found = point;
  }
  return found;
}

/** The corner that is nearest to the pixel, of the triangle that is seen there; null outside the mesh. */
export function cornerAt({ x, y, depth }: Projection, faces: Int32Array, px: number, py: number): number | null {
  let nearest = Infinity;
  let seen = -1;
  for (let at = 0; at < faces.length; at += 3) {
    const [a, b, c] = [faces[at] as number, faces[at + 1] as number, faces[at + 2] as number];
    const [ax, ay] = [x[a] as number, y[a] as number];
    const [ux, uy] = [(x[b] as number) - ax, (y[b] as number) - ay];
    const [vx, vy] = [(x[c] as number) - ax, (y[c] as number) - ay];
    const area = ux * vy - uy * vx;
    const [qx, qy] = [px - ax, py - ay];
    const u = (qx * vy - qy * vx) / area;
    const v = (ux * qy - uy * qx) / area;
    if (!(u >= 0 && v >= 0 && u + v <= 1)) continue;
    const far = (depth[a] as number) * (1 - u - v) + (depth[b] as number) * u + (depth[c] as number) * v;
    if (far < nearest) [nearest, seen] = [far, at];
  }
  if (seen < 0) return null;
  const away = (corner: number): number => Math.hypot((x[corner] as number) - px, (y[corner] as number) - py);
  const corners = [...faces.subarray(seen, seen + 3)];
  return corners.reduce((best, corner) => (away(corner) < away(best) ? corner : best));
}
