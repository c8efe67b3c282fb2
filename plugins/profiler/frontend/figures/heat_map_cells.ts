/** Cells of a heat map as numbers: what a colour stands for, and which cell a pixel shows. */

/** A matrix by rows; NaN: not known. */
export interface Cells {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
  /** Where several cells share a pixel, the worst shows. */
  readonly worst: 'largest' | 'smallest';
}

/** Columns from a place to another (exclusive), between two or beyond the ends perhaps. */
export type Columns = readonly [from: number, to: number];

export interface Range {
  readonly low: number;
  readonly high: number;
}

const LEAST_SPREAD = 0.2; // of the high end: noise of some percent must not take all colours
const FENCE = 3; // interquartile ranges: Tukey's outer fence
const LEAST_CHANGE = 0.1; // of a scale of changes: noise of some percent is not a pattern
const MOST_SAMPLES = 20_000;

export function cellsOf(rows: readonly (readonly (number | null)[])[], worst: Cells['worst']): Cells {
  const columns = rows[0]?.length ?? 0;
  const values = new Float64Array(rows.length * columns);
  rows.forEach((row, at) => row.forEach((value, column) => (values[at * columns + column] = value ?? NaN)));
  return { rows: rows.length, columns, values, worst };
}

function quartiles(known: Float64Array): readonly [number, number, number, number] {
  const sorted = known.toSorted();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] as number;
  return [at(0), at(0.25), at(0.75), at(1)];
}

function sampled({ values }: Cells): Float64Array {
  const every = Math.max(1, Math.floor(values.length / MOST_SAMPLES));
  return values.filter((value, i) => i % every === 0 && !Number.isNaN(value));
}

/** Of values from 0: what the ends of the colours stand for. With outliers within, the rest would have one colour. */
export function rangeOf(cells: Cells): Range {
  const known = sampled(cells);
  if (known.length === 0) return { low: 0, high: 1 };
  const [least, first, third, most] = quartiles(known);
  const spread = third - first;
  const high = (spread > 0 ? Math.min(most, third + FENCE * spread) : most) || 1;
  const low = spread > 0 ? Math.max(least, first - FENCE * spread) : least;
  return { low: Math.max(0, Math.min(low, high * (1 - LEAST_SPREAD))), high };
}

/** Of changes: as far below 0 as above. */
export function changeRangeOf(cells: Cells): Range {
  const known = sampled(cells).map(Math.abs);
  if (known.length === 0) return { low: -LEAST_CHANGE, high: LEAST_CHANGE };
  const [, , third, most] = quartiles(known);
  const high = Math.max(LEAST_CHANGE, Math.min(most, (FENCE + 1) * third));
  return { low: -high, high };
}

/** First and last (exclusive) of `count` cells that lie in the place `at` of `places`; at least one. */
export function span(at: number, places: number, count: number): readonly [number, number] {
  const first = Math.min(count - 1, Math.floor((at * count) / places));
  return [first, Math.max(first + 1, Math.floor(((at + 1) * count) / places))];
}

/** The same of the columns of a window; none beyond the ends. */
function columnsAt(at: number, places: number, [from, to]: Columns, count: number): readonly [number, number] {
  const begin = Math.floor(from + (at * (to - from)) / places);
  const end = Math.max(begin + 1, Math.floor(from + ((at + 1) * (to - from)) / places));
  return [Math.max(0, begin), Math.min(count, end)];
}

/** Of some rows and columns the cell that shows: [row, column], null if none of them is known. */
export function worstOf(
  { columns, values, worst }: Cells,
  [top, bottom]: readonly [number, number],
  [left, right]: readonly [number, number],
): readonly [row: number, column: number] | null {
  let found: readonly [number, number] | null = null;
  let best = 0;
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const value = values[row * columns + column] as number;
      if (Number.isNaN(value)) continue;
      if (!found || (worst === 'largest' ? value > best : value < best)) [found, best] = [[row, column], value];
    }
  }
  return found;
}

/**
 * Colours of `width` x `height` places as RGBA; `shades` go from the low end to the high end, `empty` is not known.
 * `window`: which columns are shown.
 */
export function painted(
  cells: Cells,
  { low, high }: Range,
  width: number,
  height: number,
  shades: readonly (readonly [number, number, number])[],
  empty: readonly [number, number, number],
  window: Columns = [0, cells.columns],
): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(4 * width * height);
  const across = Array.from({ length: width }, (_, x) => columnsAt(x, width, window, cells.columns));
  for (let y = 0; y < height; y++) {
    const down = span(y, height, cells.rows);
    for (let x = 0; x < width; x++) {
      const place = worstOf(cells, down, across[x] as readonly [number, number]);
      const value = place ? (cells.values[place[0] * cells.columns + place[1]] as number) : NaN;
      const share = high > low ? (value - low) / (high - low) : 0.5;
      const at = Math.round(Math.max(0, Math.min(1, share)) * (shades.length - 1));
      const [red, green, blue] = Number.isNaN(value) ? empty : (shades[at] ?? empty);
      pixels.set([red, green, blue, 255], 4 * (y * width + x));
    }
  }
  return pixels;
}
