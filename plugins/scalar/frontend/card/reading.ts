/** What the pointer reads in a chart: its lines, in the chosen order. */
import { byName, exactAt, valueText } from '@insight-host/kit';
import type { Cursor } from '@insight-host/kit/lines';
import type { CardQuery } from '../feed/feed';
import { indexAt, type Band } from '../feed/series';
import { isMetric } from './axis';
import type { Lines, Source } from './lines';

/** What the pointer reads in a chart. */
export interface Reading {
  readonly cursor: Cursor;
  readonly clientX: number;
  readonly clientY: number;
  /** It stays until it is closed. */
  readonly pinned: boolean;
  /** It is not shown until the pointer moves. */
  readonly dismissed?: boolean;
}

/**
 * The reading after the chart reports `next`. A chart also reports when its lines change below a pointer that rests.
 */
export function followed(now: Reading | null, next: Reading | null): Reading | null {
  if (now?.pinned) return now;
  const rests = now?.dismissed && next?.cursor.px === now.cursor.px && next.cursor.py === now.cursor.py;
  return rests ? now : next;
}

/** A line of a reading. */
export interface Row {
  readonly id: string;
  /** The run that it is of; undefined for a group. */
  readonly run: string | undefined;
  readonly label: string;
  readonly color: string;
  readonly dash: readonly number[];
  /** Null if only the smoothed one is known. */
  readonly value: number | null;
  readonly smoothed: number | null;
  readonly step: number | bigint | null;
  readonly wall: number | null;
  readonly relative: number | null;
  /** Of an axis that is neither step nor time. */
  readonly metric: number | null;
  /** Of a group: edges of its band, and how many runs reach across this x. */
  readonly group: { readonly low: number; readonly high: number; readonly runs: number } | null;
  /** The ends of its error bar. */
  readonly ends: readonly [low: number, high: number] | null;
  /** Until the exact numbers are here: how far values may be off. */
  readonly rough: { readonly by: number; readonly relative: boolean } | null;
}

/** An answer of the route `nearest`. */
export interface Exact {
  readonly run: string;
  readonly tag: string;
  /** Text beyond 2^53. */
  readonly step: number | string;
  readonly wall_time: number;
  readonly value: number | string;
  readonly smoothed: number | string | null;
  /** Along a metric. */
  readonly x?: number;
}

/** What a reading says of each point. */
export function rowsOf(
  points: Cursor['nearest'],
  lines: Lines,
  { x, smoothing }: Pick<CardQuery, 'x' | 'smoothing'>,
  exact: ReadonlyMap<string, Exact>,
): Row[] {
  return points.flatMap((point): Row[] => {
    const source = lines.sources.get(point.id);
    if (!source) return [];
    const { label, color, dash, main, raw, band } = source;
    if (!main)
      return [
        {
          id: point.id,
          run: undefined,
          label,
          color,
          dash,
          value: point.y,
          smoothed: null,
          step: x === 'step' ? point.x : null,
          wall: x === 'wall' ? point.x : null,
          relative: x === 'relative' ? point.x : null,
          metric: isMetric(x) ? point.x : null,
          group: band ? groupAt(band, point) : null,
          ends: null,
          rough: null,
        },
      ];
    const precise = exact.get(`${source.tag}\n${source.run}`);
    const index = indexAt(main, x, point);
    if (index < 0) return [];
    const step = precise ? stepOf(precise.step) : exactAt(main.steps, index);
    const wall = precise?.wall_time ?? main.wallTimes[index] ?? NaN;
    const shown = precise ? Number(precise.smoothed ?? precise.value) : (main.values[index] as number);
    const value = precise
      ? Number(precise.value)
      : raw
        ? rawAt(raw.steps, raw.values, step)
        : smoothing > 0
          ? null
          : shown;
    return [
      {
        id: point.id,
        run: source.run,
        label,
        color,
        dash,
        value,
        smoothed: smoothing > 0 ? shown : null,
        step,
        wall,
        relative: wall - main.origin,
        metric: isMetric(x) ? (precise?.x ?? point.x) : null,
        group: null,
        ends: endsAt(source.errors, step),
        rough: precise ? null : ((raw ?? main).precision ?? (Number.isNaN(wall) ? EXACT : null)),
      },
    ];
  });
}

/** A step of an answer with all of its digits. */
export const stepOf = (step: number | string): number | bigint => (typeof step === 'string' ? BigInt(step) : step);

/** What a band is at a point that was read off a chart; null if newer data have moved it. */
function groupAt(band: Band, { index, x }: Cursor['nearest'][number]): Row['group'] {
  if (band.x[index] !== x) return null;
  return { low: band.low[index] ?? NaN, high: band.high[index] ?? NaN, runs: band.count[index] ?? 0 };
}

/** The ends of the error bar at a step; null where it has none. */
function endsAt(errors: Source['errors'], step: number | bigint): Row['ends'] {
  const at = errors?.steps.indexOf(Number(step)) ?? -1;
  const ends = [errors?.low[at] ?? NaN, errors?.high[at] ?? NaN] as const;
  return ends.every(Number.isFinite) ? ends : null;
}

const EXACT = { by: 0, relative: false };

/** As many digits of a value as are known. */
export function roughText(value: number, { by, relative }: NonNullable<Row['rough']>): string {
  const off = relative ? by * Math.abs(value) : by;
  if (!(off > 0) || !Number.isFinite(value)) return valueText(value);
  const digits = Math.floor(Math.log10(Math.abs(value) / off));
  return `≈ ${valueText(digits > 0 ? Number(value.toPrecision(Math.min(15, digits))) : 0)}`;
}

/** The raw value at a step; NaN when the raw line left that step out. */
function rawAt(steps: Float64Array, values: Float64Array | Float32Array, step: number | bigint): number {
  const rounded = Number(step);
  let index = steps.indexOf(rounded);
  while (index >= 0 && exactAt(steps, index) !== step) index = steps.indexOf(rounded, index + 1);
  return index < 0 ? NaN : (values[index] as number);
}

type Point = Cursor['nearest'][number];
export type TooltipOrder = 'nearest' | 'highest' | 'lowest' | 'name';
export const ORDERS: readonly TooltipOrder[] = ['nearest', 'highest', 'lowest', 'name'];

/** The points that a reading shows, in the chosen order. */
export function ordered(points: Cursor['nearest'], order: TooltipOrder, lines: Lines): Cursor['nearest'] {
  if (order === 'nearest') return points;
  const label = (id: string): string => lines.sources.get(id)?.label ?? '';
  const up = (a: number, b: number): number => (a === b ? 0 : Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b);
  const by = {
    highest: (a: Point, b: Point) => (Number.isNaN(a.y) || Number.isNaN(b.y) ? up(a.y, b.y) : up(b.y, a.y)),
    lowest: (a: Point, b: Point) => up(a.y, b.y),
    name: (a: Point, b: Point) => byName(label(a.id), label(b.id)),
  };
  return [...points].sort(by[order]);
}
