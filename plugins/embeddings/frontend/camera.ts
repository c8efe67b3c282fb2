/** Where the points are looked at from, and which of them are under the pointer. */
import { axesOf, clipMatrix, nearer, type Angles, type Matrix } from '@insight-host/kit/scene';

/** Where the points are looked at from; `x` and `y` in shares of half the picture. */
export interface Camera extends Angles {
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
}

export const FIRST_CAMERA: Camera = { azimuth: -30, elevation: 22, zoom: 1, x: 0, y: 0 };
const ZOOMS = [0.1, 60] as const;
const FARTHEST = 50; // of x and y
export const LIMITS = {
  azimuth: [-180, 180],
  elevation: [-90, 90],
  zoom: ZOOMS,
  x: [-FARTHEST, FARTHEST],
  y: [-FARTHEST, FARTHEST],
} as const;
/** Between the viewer and the middle of the scene, whose points are about 1 away from it. */
export const DISTANCE = 3.2;
const NEAR = 0.05;
const FAR = 100;
const ROOM = 0.86; // of the smaller side of the picture, for points that are 1 away from the middle

const limited = (value: number): number => Math.max(-FARTHEST, Math.min(FARTHEST, value));

export function moved(camera: Camera, x: number, y: number): Camera {
  return { ...camera, x: limited(camera.x + x), y: limited(camera.y + y) };
}

/** Nearer or farther; the place (`x`, `y`) of the picture stays where it is. */
export function zoomed(camera: Camera, factor: number, x = 0, y = 0): Camera {
  const after = nearer(camera, factor, ZOOMS);
  const real = after.zoom / camera.zoom;
  return { ...after, x: limited(x + (camera.x - x) * real), y: limited(y + (camera.y - y) * real) };
}

/**
 * From the scene to clip space, z upwards. Flat: seen from above, without perspective. `x` and `y` move the picture,
 * not the scene, so that it turns around the place where its middle is.
 */
export function viewMatrix(camera: Camera, width: number, height: number, flat: boolean): Matrix {
  const side = Math.max(1, Math.min(width, height));
  const size = flat ? 1 : DISTANCE;
  const matrix = clipMatrix({
    axes: axesOf(flat ? { azimuth: 0, elevation: 90 } : camera, 'z'),
    scale: [(ROOM * side * size) / Math.max(1, width), (ROOM * side * size) / Math.max(1, height)],
    near: NEAR,
    far: FAR,
    distance: DISTANCE,
    isParallel: flat,
  });
  for (let i = 0; i < 12; i++) matrix[i] = (matrix[i] as number) * camera.zoom;
  for (let i = 0; i < 16; i += 4) {
    const w = matrix[i + 3] as number;
    matrix[i] = (matrix[i] as number) + camera.x * w;
    matrix[i + 1] = (matrix[i + 1] as number) + camera.y * w;
    if (flat) matrix[i + 2] = 0; // however high a point is, it is seen
  }
  return matrix;
}

/** Points on the screen: pixels from the left and top, and how far away each is. Behind the viewer it is NaN. */
export interface Projected {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly depth: Float32Array;
}

/** `positions`: x, y and z of one point after the other. */
export function projected(m: Matrix, positions: Float32Array, width: number, height: number): Projected {
  const count = positions.length / 3;
  const [x, y, depth] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)];
  const [m0, m1, m3, m4, m5, m7] = [m[0], m[1], m[3], m[4], m[5], m[7]] as number[] as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [m8, m9, m11, m12, m13, m15] = [m[8], m[9], m[11], m[12], m[13], m[15]] as number[] as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let i = 0; i < count; i++) {
    const [px, py, pz] = [positions[3 * i] as number, positions[3 * i + 1] as number, positions[3 * i + 2] as number];
    const w = m3 * px + m7 * py + m11 * pz + m15;
    const isBehind = w < NEAR;
    x[i] = isBehind ? NaN : (((m0 * px + m4 * py + m8 * pz + m12) / w + 1) / 2) * width;
    y[i] = isBehind ? NaN : ((1 - (m1 * px + m5 * py + m9 * pz + m13) / w) / 2) * height;
    depth[i] = isBehind ? NaN : w;
  }
  return { x, y, depth };
}

/**
 * The point under the pointer: of those within `reach` pixels the one nearest to it, of equals the nearest to the
 * viewer.
 */
export function pointAt(
  { x, y, depth }: Projected,
  shown: Uint8Array | null,
  px: number,
  py: number,
  reach: number,
): number | null {
  let [found, best] = [-1, Infinity];
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [(x[i] as number) - px, (y[i] as number) - py];
    if (!(dx < reach && dx > -reach && dy < reach && dy > -reach) || (shown && !shown[i])) continue;
    const away = Math.hypot(dx, dy);
    // points that cover each other: the front one is what is seen
    const rank = Math.max(2, away) + (depth[i] as number) * 0.5;
    if (away <= reach && rank < best) [found, best] = [i, rank];
  }
  return found < 0 ? null : found;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The points in a box of the screen, in their order. */
export function pointsIn({ x, y }: Projected, shown: Uint8Array | null, box: Box): Uint32Array {
  const found: number[] = [];
  for (let i = 0; i < x.length; i++) {
    const [px, py] = [x[i] as number, y[i] as number];
    if (px >= box.left && px <= box.right && py >= box.top && py <= box.bottom && (!shown || shown[i])) found.push(i);
  }
  return Uint32Array.from(found);
}
