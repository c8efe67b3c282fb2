import type { Sight } from './camera';
import type { Ball, Shape } from './shape';

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
