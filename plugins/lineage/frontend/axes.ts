/** Axes of parallel coordinates and of the scatter plot: where a row stands on them. */
import { evenTicks, WHOLE_DIGITS } from '@insight-host/kit';
import { logTicks } from '@insight-host/kit/draw';
import { type Column, MISSING } from '@insight-host/kit/runs';

export const SCALES = ['linear', 'log', 'category'] as const;
export type Scale = (typeof SCALES)[number];

interface Tick {
  /** From 0, the low end, to 1. */
  readonly place: number;
  readonly text: string;
}

export interface Axis {
  readonly column: Column;
  readonly scale: Scale;
  /** By row, from 0 to 1; NaN where the row has no place. */
  readonly places: Float32Array;
  readonly ticks: readonly Tick[];
  /** Some row has no place: its line is broken there. */
  readonly hasMissing: boolean;
  /** Of numbers: the value at a place; of categories, the texts are `categories`. */
  valueAt(place: number): number;
  placeOf(value: number): number;
  readonly categories: readonly string[];
}

/** Numbers that are not quantities. */
export const LABELS = ['dataset_mark', 'mark'];
const WIDE = 100; // large over small: beyond that most values share an end of a linear axis
const TAIL = 0.05; // of the numbers at either end, which do not say what is large and what is small
const TICKS = 6;

/** Which scales a column can have; the first is its own. */
export function scalesOf(column: Column): readonly Scale[] {
  if (!column.isNumeric || column.type === 'bool' || LABELS.includes(column.name) || Number.isNaN(column.extent[0]))
    return ['category'];
  const [low, high] = column.extent;
  if (high <= 0) return ['linear', 'category'];
  return low > 0 && spreadOf(column.numbers) >= WIDE ? ['log', 'linear', 'category'] : ['linear', 'log', 'category'];
}

/** How many times the small ones the large ones are. */
function spreadOf(numbers: Float64Array): number {
  const sorted = numbers.filter(Number.isFinite).sort();
  const cut = Math.floor(TAIL * sorted.length);
  return (sorted[sorted.length - 1 - cut] as number) / (sorted[cut] as number);
}

export function axisOf(column: Column, wanted: Scale | undefined): Axis {
  const known = scalesOf(column);
  const scale = wanted && known.includes(wanted) ? wanted : (known[0] as Scale);
  return scale === 'category' ? categoryAxis(column) : numberAxis(column, scale);
}

function categoryAxis(column: Column): Axis {
  const categories = column.texts.filter((text) => text !== MISSING);
  const places = categories.map((_, at) => (at + 0.5) / categories.length);
  const own = Float32Array.from(column.codes, (code) =>
    column.texts[code] === MISSING ? NaN : (places[code] as number),
  );
  return {
    column,
    scale: 'category',
    places: own,
    ticks: categories.map((text, at) => ({ place: places[at] as number, text })),
    hasMissing: column.texts.includes(MISSING),
    valueAt: (place) => Math.floor(place * categories.length),
    placeOf: (at) => (at + 0.5) / categories.length,
    categories,
  };
}

function numberAxis(column: Column, scale: 'linear' | 'log'): Axis {
  const turn = scale === 'log' ? Math.log10 : (value: number): number => value;
  const back = scale === 'log' ? (place: number): number => 10 ** place : (place: number): number => place;
  let [low, high] = column.extent;
  if (scale === 'log') low = smallestPositive(column);
  let [from, to] = [turn(low), turn(high)];
  if (from === to) [from, to] = [from - (Math.abs(from) || 1) / 2, to + (Math.abs(to) || 1) / 2];
  const span = to - from;
  const placeOf = (value: number): number => (turn(value) - from) / span;
  const places = Float32Array.from(column.numbers, (value) => {
    const place = placeOf(value);
    return Number.isFinite(place) ? Math.max(0, Math.min(1, place)) : NaN;
  });
  const ends = [back(from), back(to)] as const;
  const values =
    scale === 'log' && span >= 1
      ? logTicks(ends, TICKS).flatMap(({ value, label }) => (label ? [value] : []))
      : evenTicks(...ends, TICKS, WHOLE_DIGITS);
  return {
    column,
    scale,
    places,
    ticks: values
      .filter((value) => !column.isWhole || Number.isInteger(value))
      .map((value) => ({ place: placeOf(value), text: column.numberText(value) })),
    hasMissing: places.some(Number.isNaN),
    valueAt: (place) => back(from + place * span),
    placeOf,
    categories: [],
  };
}

function smallestPositive(column: Column): number {
  let low = column.extent[1];
  for (const value of column.numbers) if (value > 0 && value < low) low = value;
  return low;
}
