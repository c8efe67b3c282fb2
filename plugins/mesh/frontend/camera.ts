import {
  axesOf,
  clipMatrix,
  nearer,
  radians,
  type Angles,
  type Axes,
  type Matrix,
  type Point,
  type Up,
} from '@insight-host/kit/scene';

/** From where shapes are seen; the frame of the shapes is a ball of radius 1 around the origin. */
export interface Camera extends Angles {
  /** 1 shows the whole frame. */
  readonly zoom: number;
  /** The point in the middle of the picture. */
  readonly target: Point;
}

type Projection = 'perspective' | 'parallel';

/** Settings that all cameras share. */
export interface Lens {
  readonly up: Up;
  readonly projection: Projection;
  /** Degrees of view, from bottom to top. */
  readonly field: number;
}

export const FIELD = 35;
const ZOOMS = [0.05, 500] as const;
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

export const zoomed = (camera: Camera, factor: number): Camera => nearer(camera, factor, ZOOMS);

const sum = (a: Point, b: Point, times = 1): Point => [a[0] + b[0] * times, a[1] + b[1] * times, a[2] + b[2] * times];

/** How far the viewer is from the target, in radii of the frame. */
function distanceOf(zoom: number, field: number, aspect: number): number {
  const half = radians(field) / 2;
  return 1 / Math.sin(Math.min(half, Math.atan(aspect * Math.tan(half)))) / zoom;
}

/** Radii of the frame that a pixel at the target is large. */
function pixelAt(camera: Camera, { field }: Lens, width: number, height: number): number {
  return (2 * distanceOf(camera.zoom, field, width / height) * Math.tan(radians(field) / 2)) / height;
}

/** With what is shown moved by so many pixels. */
export function moved(camera: Camera, lens: Lens, dx: number, dy: number, width: number, height: number): Camera {
  const { right, up } = axesOf(camera, lens.up);
  const pixel = pixelAt(camera, lens, width, height);
  return { ...camera, target: sum(sum(camera.target, right, -dx * pixel), up, dy * pixel) };
}

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
  const size = isParallel ? distance * slope : slope;
  const matrix = clipMatrix({
    axes,
    scale: [1 / (size * aspect), 1 / size],
    near: isParallel ? distance - BEYOND : Math.max(distance - BEYOND, distance * 0.01),
    far: distance + BEYOND,
    distance,
    target: camera.target,
    isParallel,
  });
  return { ...axes, matrix, eye: sum(camera.target, axes.back, distance), distance, isParallel };
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
