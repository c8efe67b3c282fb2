/** Where landscapes are looked at from: the camera before a surface, the part of the plane that is seen from above. */
import type { Codec } from '@insight-host/api';
import {
  axesOf,
  clipMatrix,
  nearer,
  radians,
  turned as turnedWithin,
  type Angles,
  type Matrix,
} from '@insight-host/kit/scene';
import type { Extent } from './scale';

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

/** Which part of the plane a landscape seen from above shows, in shares of the plane: the same of all landscapes. */
export interface PlanView {
  /** The middle of the picture: 0 is the left end of the plane, 1 the right. */
  readonly x: number;
  /** 0 is the lower end. */
  readonly y: number;
  readonly zoom: number;
}

export const WHOLE: PlanView = { x: 0.5, y: 0.5, zoom: 1 };
export const NEAREST = 64;

export const isWhole = ({ zoom }: PlanView): boolean => zoom === 1;

/** The same, within the plane. */
function within({ x, y, zoom }: PlanView): PlanView {
  const near = Math.max(1, Math.min(NEAREST, zoom));
  const middle = (at: number): number => Math.max(0.5 / near, Math.min(1 - 0.5 / near, at));
  return { x: middle(x), y: middle(y), zoom: near };
}

/** `factor` above 1 comes nearer; what is at `across` and `up` of the picture, as shares of its sides, stays there. */
export function zoomedAt(view: PlanView, factor: number, across: number, up: number): PlanView {
  const zoom = Math.max(1, Math.min(NEAREST, view.zoom * factor));
  const shift = 1 / view.zoom - 1 / zoom;
  return within({ x: view.x + (across - 0.5) * shift, y: view.y + (up - 0.5) * shift, zoom });
}

/** What is shown goes by these shares of the picture. */
export function movedBy(view: PlanView, across: number, up: number): PlanView {
  return within({ ...view, x: view.x - across / view.zoom, y: view.y - up / view.zoom });
}

/** The part of a plane that is seen. */
export function seenOf(extent: Extent, view: PlanView): Extent {
  const part = ([low, high]: readonly [number, number], middle: number): readonly [number, number] => [
    low + (high - low) * (middle - 0.5 / view.zoom),
    low + (high - low) * (middle + 0.5 / view.zoom),
  ];
  return isWhole(view) ? extent : { x: part(extent.x, view.x), y: part(extent.y, view.y) };
}

/** `0.25~0.5~4`: the middle across and up, and how near. */
export const planViewCodec: Codec<PlanView> = {
  parse(text) {
    const numbers = (text ?? '').split('~').map((part) => (part === '' ? NaN : Number(part)));
    const [x = NaN, y = NaN, zoom = NaN] = numbers;
    return numbers.length === 3 && numbers.every(Number.isFinite) ? within({ x, y, zoom }) : WHOLE;
  },
  format: (view) =>
    isWhole(view) ? null : [view.x, view.y, view.zoom].map((value) => Number(value.toPrecision(7))).join('~'),
};
