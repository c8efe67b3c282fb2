/** From where shapes are seen. Angles in degrees; the frame of the shapes is a ball of radius 1 around the origin. */
export interface Camera {
  /** Around the axis that points up; 0 is in front. */
  readonly azimuth: number;
  /** Above the ground, -90 to 90. */
  readonly elevation: number;
  /** 1 shows the whole frame. */
  readonly zoom: number;
  /** What is in the middle of the picture. */
  readonly target: Point;
}

export type Point = readonly [x: number, y: number, z: number];
export type Up = 'y' | 'z';
export type Projection = 'perspective' | 'parallel';

/** What all cameras have in common. */
export interface Lens {
  readonly up: Up;
  readonly projection: Projection;
  /** Degrees of view, from bottom to top. */
  readonly field: number;
}

export const FIELD = 35;
export const ZOOMS = [0.05, 500] as const;
const MIDDLE: Point = [0, 0, 0];
export const VIEWS = {
  corner: { azimuth: 30, elevation: 20 },
  front: { azimuth: 0, elevation: 0 },
  back: { azimuth: 180, elevation: 0 },
  left: { azimuth: -90, elevation: 0 },
  right: { azimuth: 90, elevation: 0 },
  top: { azimuth: 0, elevation: 90 },
  bottom: { azimuth: 0, elevation: -90 },
} as const;
export type View = keyof typeof VIEWS;

export const cameraOf = (view: View): Camera => ({ ...VIEWS[view], zoom: 1, target: MIDDLE });

export function turned(camera: Camera, across: number, up: number): Camera {
  return {
    ...camera,
    azimuth: ((((camera.azimuth + across + 180) % 360) + 360) % 360) - 180,
    elevation: Math.max(-90, Math.min(90, camera.elevation + up)),
  };
}

export function zoomed(camera: Camera, factor: number): Camera {
  return { ...camera, zoom: Math.max(ZOOMS[0], Math.min(ZOOMS[1], camera.zoom * factor)) };
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
export const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const sum = (a: Point, b: Point, times = 1): Point => [
  a[0] + b[0] * times,
  a[1] + b[1] * times,
  a[2] + b[2] * times,
];

export interface Axes {
  readonly right: Point;
  readonly up: Point;
  /** To the viewer. */
  readonly back: Point;
}

/** The axes of the viewer in the scene. */
export function axesOf({ azimuth, elevation }: Pick<Camera, 'azimuth' | 'elevation'>, up: Up): Axes {
  const [a, e] = [radians(azimuth), radians(elevation)];
  const [sa, ca, se, ce] = [Math.sin(a), Math.cos(a), Math.sin(e), Math.cos(e)];
  // of a viewer in front: x to the right, `up` up
  const place = (right: number, above: number, back: number): Point =>
    up === 'y' ? [right, above, back] : [right, -back, above];
  return {
    right: place(ca, 0, -sa),
    up: place(-sa * se, ce, -ca * se),
    back: place(sa * ce, se, ca * ce),
  };
}

/** How far the viewer is from the target, in radii of the frame. */
export function distanceOf(zoom: number, field: number, aspect: number): number {
  const half = radians(field) / 2;
  return 1 / Math.sin(Math.min(half, Math.atan(aspect * Math.tan(half)))) / zoom;
}

/** Radii of the frame that a pixel at the target is large. */
export function pixelAt(camera: Camera, { field }: Lens, width: number, height: number): number {
  return (2 * distanceOf(camera.zoom, field, width / height) * Math.tan(radians(field) / 2)) / height;
}

/** With what is shown moved by so many pixels. */
export function moved(camera: Camera, lens: Lens, dx: number, dy: number, width: number, height: number): Camera {
  const { right, up } = axesOf(camera, lens.up);
  const pixel = pixelAt(camera, lens, width, height);
  return { ...camera, target: sum(sum(camera.target, right, -dx * pixel), up, dy * pixel) };
}

export type Matrix = Float64Array; // 4 x 4, column by column

export interface Sight extends Axes {
  /** From the scene to clip space. */
  readonly matrix: Matrix;
  readonly eye: Point;
  readonly distance: number;
  readonly isParallel: boolean;
}

const BEYOND = 6; // radii in front of and behind the target that are seen

export function sightOf(camera: Camera, lens: Lens, width: number, height: number): Sight {
  const aspect = Math.max(1, width) / Math.max(1, height);
  const axes = axesOf(camera, lens.up);
  const distance = distanceOf(camera.zoom, lens.field, aspect);
  const isParallel = lens.projection === 'parallel';
  const slope = Math.tan(radians(lens.field) / 2);
  const near = isParallel ? distance - BEYOND : Math.max(distance - BEYOND, distance * 0.01);
  const far = distance + BEYOND;
  const [scaleX, scaleY] = isParallel
    ? [1 / (distance * slope * aspect), 1 / (distance * slope)]
    : [1 / (slope * aspect), 1 / slope];
  const [depth, shift] = isParallel
    ? [-2 / (far - near), -(far + near) / (far - near)]
    : [(far + near) / (near - far), (2 * far * near) / (near - far)];
  const rows: readonly (readonly [Point, number])[] = [
    [axes.right, scaleX],
    [axes.up, scaleY],
    [axes.back, depth],
    [axes.back, isParallel ? 0 : -1],
  ];
  const ends = [0, 0, -depth * distance + shift, isParallel ? 1 : distance];
  const matrix = new Float64Array(16);
  for (const [row, [axis, scale]] of rows.entries()) {
    for (const column of [0, 1, 2] as const) matrix[4 * column + row] = scale * axis[column];
    matrix[12 + row] = (ends[row] as number) - scale * dot(axis, camera.target);
  }
  return { ...axes, matrix, eye: sum(camera.target, axes.back, distance), distance, isParallel };
}

/** Pixels from the left and top, and the depth, from -1 (near) to 1. */
export function projected(m: Matrix, [x, y, z]: Point, width: number, height: number): Point {
  const at = (row: number): number =>
    (m[row] as number) * x + (m[4 + row] as number) * y + (m[8 + row] as number) * z + (m[12 + row] as number);
  const w = at(3);
  return [((at(0) / w + 1) / 2) * width, ((1 - at(1) / w) / 2) * height, at(2) / w];
}

/** The camera that a writer chose: where it stands and what it looks at, both in the frame. */
export function placedCamera(position: Point, target: Point, { up, field }: Lens): Camera | null {
  const back = sum(position, target, -1);
  const length = Math.hypot(...back);
  if (!(length > 1e-9)) return null;
  const [x, above, z] = up === 'y' ? back : [back[0], back[2], -back[1]];
  const degrees = (angle: number): number => (angle * 180) / Math.PI;
  return zoomed(
    {
      azimuth: degrees(Math.atan2(x, z)),
      elevation: degrees(Math.asin(Math.max(-1, Math.min(1, above / length)))),
      zoom: distanceOf(1, field, 1) / length,
      target,
    },
    1,
  );
}
