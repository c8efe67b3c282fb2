/** Where the surface is looked at from; angles in degrees. The scene is a box around the origin, z upwards. */
export interface Camera {
  readonly azimuth: number;
  readonly elevation: number;
  readonly zoom: number;
}

export const FIRST_CAMERA: Camera = { azimuth: -35, elevation: 32, zoom: 1 };
export const LOWEST = 2; // degrees above the ground
export const HIGHEST = 89;
export const ZOOMS = [0.4, 6] as const;
/** Half the height of the box; half its sides are 1. */
export const HALF_HEIGHT = 0.5;

const FIELD = 32; // degrees of view
const DISTANCE = 5.2;
const NEAR = 0.1;
const FAR = 40;
const UPWARDS = 0.15; // of half the height of the picture
const LABELS = 90; // pixels for the numbers next to the box

export type Matrix = Float32Array; // 4 x 4, column by column
export type Point = readonly [x: number, y: number, z: number];

export function turned({ azimuth, elevation, zoom }: Camera, across: number, up: number): Camera {
  return {
    azimuth: ((((azimuth + across + 180) % 360) + 360) % 360) - 180,
    elevation: Math.max(LOWEST, Math.min(HIGHEST, elevation + up)),
    zoom,
  };
}

export function zoomed(camera: Camera, factor: number): Camera {
  return { ...camera, zoom: Math.max(ZOOMS[0], Math.min(ZOOMS[1], camera.zoom * factor)) };
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** From the scene to clip space. */
export function viewMatrix({ azimuth, elevation, zoom }: Camera, width: number, height: number): Matrix {
  const [a, e] = [radians(azimuth), radians(elevation)];
  const [sa, ca, se, ce] = [Math.sin(a), Math.cos(a), Math.sin(e), Math.cos(e)];
  // Axes of the viewer in the scene: to the right, up, and back to the viewer.
  const right: Point = [ca, sa, 0];
  const up: Point = [-sa * se, ca * se, ce];
  const back: Point = [sa * ce, -ca * ce, se];
  const aspect = width / Math.max(1, height);
  // a slender picture shows the whole box too
  const narrow = Math.max(0.2, Math.min(1, (width - LABELS) / Math.max(1, height)));
  const distance = DISTANCE / zoom / narrow;
  const f = 1 / Math.tan(radians(FIELD) / 2);
  const depth = (FAR + NEAR) / (NEAR - FAR);
  const shift = (2 * FAR * NEAR) / (NEAR - FAR);
  const matrix = new Float32Array(16);
  for (let i = 0; i < 3; i++) {
    matrix[4 * i] = (f / aspect) * (right[i] as number);
    matrix[4 * i + 1] = f * (up[i] as number);
    matrix[4 * i + 2] = depth * (back[i] as number);
    matrix[4 * i + 3] = -(back[i] as number);
  }
  matrix[14] = -depth * distance + shift;
  matrix[15] = distance;
  // The near corner of the floor is larger than the far one: up, so that it and its numbers are seen.
  for (let i = 0; i < 4; i++)
    matrix[4 * i + 1] = (matrix[4 * i + 1] as number) + UPWARDS * ce * (matrix[4 * i + 3] as number);
  return matrix;
}

/** Pixels from the left and top, and the depth: the nearer the smaller. */
export function projected(m: Matrix, [x, y, z]: Point, width: number, height: number): Point {
  const at = (row: number): number =>
    (m[row] as number) * x + (m[4 + row] as number) * y + (m[8 + row] as number) * z + (m[12 + row] as number);
  const w = at(3);
  return [((at(0) / w + 1) / 2) * width, ((1 - at(1) / w) / 2) * height, at(2) / w];
}
