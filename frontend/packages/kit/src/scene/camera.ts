import { codecs, type Page, type Setting } from '@insight-host/kit/lab';
import { batch, computed, signal } from '@preact/signals';

/** Where a scene is looked at from: angles in degrees. */
export interface Angles {
  /** Around the axis that points up; 0 is in front. */
  readonly azimuth: number;
  /** Above the ground. */
  readonly elevation: number;
}

export type Point = readonly [x: number, y: number, z: number];
export type Up = 'y' | 'z';
/** 4 x 4, column by column. */
export type Matrix = ArrayLike<number>;

export const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const within = (value: number, [low, high]: readonly [number, number]): number => Math.max(low, Math.min(high, value));

/** The camera after a turn by so many degrees; it goes around the scene, and up and down between two elevations. */
export function turned<C extends Angles>(
  camera: C,
  across: number,
  up: number,
  elevations: readonly [number, number] = [-90, 90],
): C {
  return {
    ...camera,
    azimuth: ((((camera.azimuth + across + 180) % 360) + 360) % 360) - 180,
    elevation: within(camera.elevation + up, elevations),
  };
}

/** The camera so many times nearer. */
export function nearer<C extends { readonly zoom: number }>(
  camera: C,
  factor: number,
  zooms: readonly [number, number],
): C {
  return { ...camera, zoom: within(camera.zoom * factor, zooms) };
}

/** The axes of the viewer in the scene. */
export interface Axes {
  readonly right: Point;
  readonly up: Point;
  /** To the viewer. */
  readonly back: Point;
}

export function axesOf({ azimuth, elevation }: Angles, up: Up): Axes {
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

export const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export interface Frustum {
  readonly axes: Axes;
  /** How large what is at distance 1 is, across and up, in halves of the picture; in a parallel view at any. */
  readonly scale: readonly [across: number, up: number];
  /** From the viewer, what is seen begins and ends there. */
  readonly near: number;
  readonly far: number;
  /** From the viewer to what is in the middle of the picture. */
  readonly distance: number;
  readonly target?: Point;
  readonly isParallel?: boolean;
}

/** From the scene to clip space. */
export function clipMatrix({
  axes: { right, up, back },
  scale,
  near,
  far,
  distance,
  target = [0, 0, 0],
  isParallel = false,
}: Frustum): Float64Array {
  const [depth, shift] = isParallel
    ? [-2 / (far - near), -(far + near) / (far - near)]
    : [(far + near) / (near - far), (2 * far * near) / (near - far)];
  const rows = [
    [right, scale[0], 0],
    [up, scale[1], 0],
    [back, depth, -depth * distance + shift],
    [back, isParallel ? 0 : -1, isParallel ? 1 : distance],
  ] as const;
  const matrix = new Float64Array(16);
  for (const [row, [axis, size, end]] of rows.entries()) {
    for (const column of [0, 1, 2] as const) matrix[4 * column + row] = size * axis[column];
    matrix[12 + row] = end - size * dot(axis, target);
  }
  return matrix;
}

/** Pixels from the left and top, and the depth, from -1 (near) to 1. */
export function projected(m: Matrix, [x, y, z]: Point, width: number, height: number): Point {
  const at = (row: number): number =>
    (m[row] as number) * x + (m[4 + row] as number) * y + (m[8 + row] as number) * z + (m[12 + row] as number);
  const w = at(3);
  return [((at(0) / w + 1) / 2) * width, ((1 - at(1) / w) / 2) * height, at(2) / w];
}

const SETTLE = 300; // ms without a change before the URL says it
const REST = 180; // ms without a move
const TURN = 24; // degrees a second

/** A camera in the URL, a key for each of its numbers; whether it moves, and turns by itself. */
export class Orbit<C extends Angles & Readonly<Record<keyof C, number>>> {
  private readonly settings: Readonly<Record<keyof C, Setting<number>>>;
  /** Whether the camera moves, until it rests for a moment. */
  readonly moving = signal(false);
  readonly turning = signal(false);
  private rest: ReturnType<typeof setTimeout> | undefined;

  /** `limits` of each number of `first`, where the camera stands at first. */
  constructor(
    page: Page,
    readonly first: C,
    limits: Readonly<Record<keyof C, readonly [low: number, high: number]>>,
  ) {
    const keys = Object.keys(first) as (keyof C & string)[];
    this.settings = Object.fromEntries(
      keys.map((key) => {
        const [low, high] = limits[key];
        return [key, page.setting(key, codecs.number(low, high, first[key]), SETTLE)];
      }),
    ) as typeof this.settings;
    page.until(() => {
      clearTimeout(this.rest);
      this.turning.value = false;
    });
  }

  readonly camera = computed<C>(
    () =>
      Object.fromEntries(Object.entries<Setting<number>>(this.settings).map(([key, { value }]) => [key, value])) as C,
  );

  look(camera: C): void {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => (this.moving.value = false), REST);
    batch(() => {
      this.moving.value = true;
      for (const key of Object.keys(this.settings) as (keyof C)[]) {
        const value = Math.round(camera[key] * 1000) / 1000;
        if (this.settings[key].peek() !== value) this.settings[key].set(value);
      }
    });
  }

  reset(): void {
    this.look(this.first);
  }

  /** Turns the picture until `turning` is false. */
  turn(): void {
    if (this.turning.peek()) return void (this.turning.value = false);
    this.turning.value = true;
    let before: number | null = null;
    const step = (now: number): void => {
      if (!this.turning.peek()) return;
      const passed = before === null ? 0 : Math.min(100, now - before) / 1000;
      before = now;
      this.look(turned(this.camera.peek(), TURN * passed, 0));
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}
