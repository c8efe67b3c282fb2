import type { Columns, Reason } from '@insight-host/api';
import { floats } from '@insight-host/kit';
import type { RunLists } from '@insight-host/kit/lists';

/** What `/intervals` says of one landscape; one that cannot be read has `error` and nothing of its content. */
export interface Listed {
  readonly id: string;
  readonly tag: string;
  readonly step: number;
  readonly wall_time: number | string;
  readonly kind?: 'interval' | 'final';
  readonly interval?: readonly [number, number] | null;
  readonly unit?: string;
  readonly size?: readonly [number, number];
  readonly flaws?: readonly Reason[];
  readonly error?: string;
  readonly code?: string;
  readonly details?: Reason['details'];
}
export interface Intervals {
  readonly runs: readonly { readonly run: string; readonly landscapes: readonly Listed[] }[];
}
/** Which landscapes runs have. */
export type Lists = RunLists<readonly Listed[]>;

/** Whether it cannot be read: then it is the reason, too. */
export const isDamaged = (entry: Listed): entry is Listed & Reason => entry.error !== undefined;

export const MAX_SIDE = 256; // points of an axis that are read

interface Facts {
  readonly network: string | null;
  readonly optimizer: string | null;
  readonly learning_rate: number | string | null;
  readonly loss: number | string | null;
  readonly metric: Readonly<Record<string, unknown>>;
}

export interface Described extends Listed {
  readonly run: string;
  readonly decomposition: string;
  readonly step_per_epoch: number;
  readonly convergence: readonly [number, number, number] | null;
  readonly notes: Readonly<Record<string, unknown>>;
  readonly facts: Facts;
}

export interface TrainingPath {
  /** Epochs or steps. */
  readonly at: Float64Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array;
}

/** The loss over a grid; `z[row * columns + column]` is that at `x[column]`, `y[row]`. Both axes ascend. */
export interface Landscape {
  readonly about: Described;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array;
  /** null of the final landscape. */
  readonly path: TrainingPath | null;
  /** The smallest and largest finite loss, NaN without one. */
  readonly low: number;
  readonly high: number;
}

export function decoded(columns: Columns): Landscape {
  const of = (name: string): Float64Array => floats(columns.column(name));
  const z = of('z');
  let [low, high] = [Infinity, -Infinity];
  for (const value of z) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const at = of('path_at');
  return {
    about: described(JSON.parse(columns.metadata['landscape'] ?? '{}') as Described),
    x: of('x'),
    y: of('y'),
    z,
    path: at.length > 0 ? { at, x: of('path_x'), y: of('path_y'), z: of('path_z') } : null,
    low: low <= high ? low : NaN,
    high: low <= high ? high : NaN,
  };
}

/** Index of the interval of an ascending axis that a value is in, and how far in it; null beyond the ends. */
export function placeOn(axis: Float64Array, value: number): readonly [index: number, share: number] | null {
  const last = axis.length - 1;
  if (!(value >= (axis[0] as number) && value <= (axis[last] as number))) return null;
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((axis[middle] as number) <= value) low = middle;
    else high = middle;
  }
  const [from, to] = [axis[low] as number, axis[high] as number];
  return [low, to > from ? (value - from) / (to - from) : 0];
}

/** The loss between the points of the grid, bilinear; NaN next to a non-finite point, null outside the grid. */
export function lossAt({ x, y, z }: Landscape, atX: number, atY: number): number | null {
  const [across, up] = [placeOn(x, atX), placeOn(y, atY)];
  if (!across || !up) return null;
  const [[column, a], [row, b]] = [across, up];
  const at = (dx: number, dy: number): number =>
    z[Math.min(row + dy, y.length - 1) * x.length + Math.min(column + dx, x.length - 1)] as number;
  // A corner without weight does not count, so that a point of the grid is what it is next to a NaN.
  let sum = 0;
  for (const [dx, dy, weight] of [
    [0, 0, (1 - a) * (1 - b)],
    [1, 0, a * (1 - b)],
    [0, 1, (1 - a) * b],
    [1, 1, a * b],
  ] as const)
    if (weight > 0) sum += weight * at(dx, dy);
  return sum;
}

/** Where the path is at `progress` of it: a point, or between two. */
export function alongPath(
  path: TrainingPath,
  progress: number,
): { readonly x: number; readonly y: number; readonly z: number; readonly index: number } {
  const last = path.at.length - 1;
  const index = Math.max(0, Math.min(Math.floor(progress), last));
  const next = Math.min(index + 1, last);
  const share = Math.min(1, Math.max(0, progress - index));
  const between = (values: Float64Array): number =>
    share === 0
      ? (values[index] as number)
      : (values[index] as number) * (1 - share) + (values[next] as number) * share;
  return { x: between(path.x), y: between(path.y), z: between(path.z), index };
}

const shifted = new WeakMap<Landscape, Landscape>();

/** The loss minus that at the end of training; the landscape itself where the end has no loss. */
export function relativeToEnd(landscape: Landscape): Landscape {
  const end = endLoss(landscape);
  if (!Number.isFinite(end)) return landscape;
  let found = shifted.get(landscape);
  if (!found) {
    const less = (values: Float64Array): Float64Array => values.map((value) => value - end);
    const { path, z, low, high } = landscape;
    found = { ...landscape, z: less(z), low: low - end, high: high - end, path: path && { ...path, z: less(path.z) } };
    shifted.set(landscape, found);
  }
  return found;
}

/** JSON has numbers that are not finite by their names. */
function described(about: Described): Described {
  const [x, y, loss] = (about.convergence ?? []).map(Number);
  return { ...about, convergence: about.convergence && [x as number, y as number, loss as number] };
}

/** The loss at the end: of the point of convergence, else of the path, else the smallest. */
function endLoss({ about, path, low }: Landscape): number {
  return about.convergence?.[2] ?? path?.z.at(-1) ?? low;
}
