/** Axes of a roofline: both logarithmic, in whole decades around what is drawn. */
import type { RooflineAnswer, RooflineRow } from '../answers/roofline';

export interface Roof {
  /** The type that is multiplied. */
  readonly type: string;
  /** FLOP/s. */
  readonly rate: number;
}

export interface Roofline {
  /** Rows that have both coordinates, the longest first, by their places in the answer. */
  readonly points: readonly { readonly at: number; readonly row: RooflineRow }[];
  /** Peaks of the types that these multiply, the highest first. */
  readonly roofs: readonly Roof[];
  /** Bytes a second; null: not known. */
  readonly memory: number | null;
  /** Powers of ten, from the lowest to the highest. */
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

/** What is drawn of an answer; null if nothing has a place. */
export function rooflineOf({ rows, ceilings }: Pick<RooflineAnswer, 'rows' | 'ceilings'>): Roofline | null {
  const points = rows.flatMap((row, at) => ((row.intensity ?? 0) > 0 && (row.rate ?? 0) > 0 ? [{ at, row }] : []));
  if (points.length === 0) return null;
  const memory = ceilings.find(({ name }) => name === 'memory')?.rate ?? null;
  const peaks = new Map(
    points.flatMap(({ row: { precision, peak } }) => (precision !== null && peak !== null ? [[precision, peak]] : [])),
  );
  const roofs = [...peaks].map(([type, rate]) => ({ type, rate })).sort((a, b) => b.rate - a.rate);
  const ridges = memory === null ? [] : roofs.map(({ rate }) => rate / memory);
  return {
    points,
    roofs,
    memory,
    x: decades([...points.map(({ row }) => row.intensity as number), ...ridges]),
    y: decades([...points.map(({ row }) => row.rate as number), ...roofs.map(({ rate }) => rate * 1.6)]),
  };
}

/** Whole powers of ten around positive values. */
export function decades(values: readonly number[]): readonly [number, number] {
  const logs = values.map((value) => Math.log10(value));
  const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
  return [low, high > low ? high : low + 1];
}

/** FLOP/s under a memory of `memory` bytes a second and a peak, at an intensity. */
export const roofAt = (intensity: number, memory: number | null, peak: number): number =>
  memory === null ? peak : Math.min(peak, intensity * memory);
