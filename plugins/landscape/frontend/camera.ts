import {
  axesOf,
  clipMatrix,
  nearer,
  radians,
  turned as turnedWithin,
  type Angles,
  type Matrix,
} from '@insight-host/kit/scene';

/** Where the surface is looked at from. The scene is a box around the origin, z upwards. */
export interface Camera extends Angles {
  readonly zoom: number;
}

export const FIRST_CAMERA: Camera = { azimuth: -35, elevation: 32, zoom: 1 };
/** The viewer stays above the ground. */
export const LIMITS = { azimuth: [-180, 180], elevation: [2, 89], zoom: [0.4, 6] } as const;
/** Half the height of the box; half its sides are 1. */
export const HALF_HEIGHT = 0.5;

const FIELD = 32; // degrees of view
const DISTANCE = 5.2;
const NEAR = 0.1;
const FAR = 40;
const UPWARDS = 0.15; // of half the height of the picture
const LABELS = 90; // pixels for the numbers next to the box

export const turned = (camera: Camera, across: number, up: number): Camera =>
  turnedWithin(camera, across, up, LIMITS.elevation);

export const zoomed = (camera: Camera, factor: number): Camera => nearer(camera, factor, LIMITS.zoom);

/** From the scene to clip space. */
export function viewMatrix(camera: Camera, width: number, height: number): Matrix {
  const aspect = width / Math.max(1, height);
  // a slender picture shows the whole box too
  const narrow = Math.max(0.2, Math.min(1, (width - LABELS) / Math.max(1, height)));
  const f = 1 / Math.tan(radians(FIELD) / 2);
  const distance = DISTANCE / camera.zoom / narrow;
  const matrix = clipMatrix({ axes: axesOf(camera, 'z'), scale: [f / aspect, f], near: NEAR, far: FAR, distance });
  // The near corner of the floor is larger than the far one: up, so that it and its numbers are seen.
  const up = UPWARDS * Math.cos(radians(camera.elevation));
  for (let i = 0; i < 16; i += 4) matrix[i + 1] = (matrix[i + 1] as number) + up * (matrix[i + 3] as number);
  return matrix;
}
