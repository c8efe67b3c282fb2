import type { Columns, Query, Reason } from '@insight-host/api';
import type { CardKey, Page } from '@insight-host/kit';
import type { Point } from '@insight-host/kit/scene';
import { recordQuery, type Records } from '@insight-host/kit/steps';
import { signal, type ReadonlySignal as Live, type Signal } from '@preact/signals';

/** The scene that the writer described, in coordinates of the points. */
interface SceneSettings {
  readonly position?: Point;
  readonly look_at?: Point;
  readonly fov?: number;
  readonly orthographic?: boolean;
  readonly color?: string;
  readonly wireframe?: boolean;
}

interface Described {
  readonly step: number;
  readonly sample: number;
  readonly samples: number;
  readonly points: number;
  readonly recorded_points: number;
  readonly triangles: number;
  readonly recorded_triangles: number;
  readonly scene: SceneSettings;
  /** Points that were left out, with the reason. */
  readonly notes: readonly Reason[];
}

/** One sample of a record: points with their colours and triangles. Columns have three numbers a row. */
export interface Shape extends Described {
  readonly vertices: Float32Array | Float64Array;
  readonly colors: Uint8Array | null;
  readonly faces: Int32Array | null;
  /** Rows of the recorded tensor that the points are; null: all of them. */
  readonly places: Int32Array | null;
  readonly box: Box;
}

export interface Box {
  readonly low: Point;
  readonly high: Point;
}

export function shapeOf(columns: Columns): Shape {
  const described = JSON.parse(columns.metadata['shape'] ?? '{}') as Described;
  const part = <T>(name: string): T | null => (columns.names.includes(name) ? (columns.column(name) as T) : null);
  const vertices = part<Float32Array | Float64Array>('vertices') ?? new Float32Array();
  const faces = part<Int32Array>('faces');
  return {
    ...described,
    vertices,
    colors: part('colors'),
    faces: faces && faces.length > 0 ? faces : null,
    places: part('places'),
    box: boxOf(vertices),
  };
}

/** Around all points; NaN without one. */
export function boxOf(vertices: ArrayLike<number>): Box {
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let at = 0; at + 2 < vertices.length; at += 3) {
    for (const axis of [0, 1, 2] as const) {
      const value = vertices[at + axis] as number;
      if (value < low[axis]) low[axis] = value;
      if (value > high[axis]) high[axis] = value;
    }
  }
  return vertices.length < 3 ? { low: [NaN, NaN, NaN], high: [NaN, NaN, NaN] } : { low, high };
}

/** The ball around a box, which the camera shows. */
export interface Ball {
  readonly middle: Point;
  readonly radius: number;
}

/** The ball around a box; of radius 1 around the origin without points. */
export function ballOf({ low, high }: Box): Ball {
  if (!low.every(Number.isFinite) || !high.every(Number.isFinite)) return { middle: [0, 0, 0], radius: 1 };
  const middle = low.map((value, axis) => (value + (high[axis] as number)) / 2) as unknown as Point;
  const radius = Math.hypot(...low.map((value, axis) => (high[axis] as number) - value)) / 2;
  return { middle, radius: radius > 0 ? radius : Math.max(1e-30, ...middle.map((part) => Math.abs(part) * 1e-3)) || 1 };
}

export const inBall = (point: Point, { middle, radius }: Ball): Point =>
  point.map((value, axis) => (value - (middle[axis] as number)) / radius) as unknown as Point;

/** The row of the recorded tensor that a point is. */
export const rowOf = ({ places }: Shape, point: number): number => places?.[point] ?? point;

export const pointOf = ({ vertices }: Shape, point: number): Point => [
  vertices[3 * point] ?? NaN,
  vertices[3 * point + 1] ?? NaN,
  vertices[3 * point + 2] ?? NaN,
];

export function shapeQuery(card: CardKey, records: Records, index: number, sample: number): Query {
  return { ...recordQuery(card, records, index), sample: sample || null };
}

const MOST_RUNS = 100; // of one question

interface Answer {
  readonly low: readonly (number | string)[];
  readonly high: readonly (number | string)[];
}

/** The box of a tag; `failed`: each shape is seen in its own. */
export type Frame = Box | 'failed';

interface Entry {
  asked: string;
  readonly frame: Signal<Frame | null>;
}

/** The box around each tag in the selected runs, at all steps: what cameras show, and colours of coordinates span. */
export class Frames {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly page: Page) {}

  /** null until the first answer; the old one stays until a newer one is there. */
  of(tag: string): Live<Frame | null> {
    return this.entry(tag).frame;
  }

  async want(tag: string, runs: readonly string[], attempts: string): Promise<void> {
    const query = { tag, run: runs.slice(0, MOST_RUNS), attempts };
    const asked = JSON.stringify(query);
    const entry = this.entry(tag);
    if (entry.asked === asked || runs.length === 0) return;
    entry.asked = asked;
    const { ctx } = this.page;
    let frame: Frame = 'failed';
    try {
      const { low, high } = await ctx.data.json<Answer>('frame', query, { signal: ctx.signal });
      const point = (part: readonly (number | string)[]): Point => part.map(Number) as unknown as Point;
      frame = { low: point(low), high: point(high) };
    } catch {
      if (entry.asked === asked) entry.asked = ''; // the next card asks again
    }
    if (entry.asked === asked || frame === 'failed')
      entry.frame.value = frame === 'failed' ? (entry.frame.value ?? frame) : frame;
  }

  private entry(tag: string): Entry {
    let entry = this.entries.get(tag);
    if (!entry) this.entries.set(tag, (entry = { asked: '', frame: signal(null) }));
    return entry;
  }
}
