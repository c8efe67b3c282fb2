/** Where things of the parallel coordinates are, in CSS pixels. */
import type { Axis } from '../axes';

const TOP = 34; // names of axes
const BOTTOM = 10;
const LETTER = 7.2;
const [NARROWEST, WIDEST] = [40, 140]; // left of the first axis
const RIGHT = 56; // of the last axis
const TICK_LETTERS = 20;
export const TRACK = 20; // width of the strip that brushes take
const BAND = 0.76; // of the room of a category, at most
const LINE = 3; // pixels between the lines of a band, at most
const ALONE = 24; // pixels of a line between axes on which its row has no place

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Of each axis. */
  readonly xs: readonly number[];
  readonly top: number;
  readonly bottom: number;
}

/** Names of ticks are left of their axis: the first needs room for its own. */
export function layoutOf(width: number, height: number, axes: readonly Axis[]): Layout {
  const letters = Math.max(0, ...(axes[0]?.ticks ?? []).map(({ text }) => Math.min(TICK_LETTERS, text.length)));
  const left = Math.max(NARROWEST, Math.min(WIDEST, letters * LETTER + 16));
  const span = Math.max(0, width - left - RIGHT);
  const xs = axes.map((_, at) => (axes.length === 1 ? width / 2 : left + (span * at) / (axes.length - 1)));
  return { width, height, xs, top: TOP, bottom: Math.max(TOP + 40, height - BOTTOM) };
}

/** Pixels for the text of a tick left of an axis. */
export function tickRoom({ xs }: Layout, at: number): number {
  const room = (xs[at] as number) - (at === 0 ? 0 : (xs[at - 1] as number)) - 14;
  return Math.max(3 * LETTER, Math.min(TICK_LETTERS * LETTER, room));
}

/** The place 0 is at the bottom; NaN for none. */
export function yOf(layout: Layout, place: number): number {
  return layout.bottom - place * (layout.bottom - layout.top);
}

export function placeAt(layout: Layout, y: number): number {
  return Math.max(0, Math.min(1, (layout.bottom - y) / (layout.bottom - layout.top)));
}

/**
 * Where the lines of rows go: an x and the height of each row there, NaN without one. Axes of categories have two stops
 * at one x.
 */
export interface Stops {
  readonly xs: readonly number[];
  readonly heights: readonly Float32Array[];
}

/** The bands of categories: half their heights in pixels, by category, as large as their counts. */
export function bandsOf(layout: Layout, { codes, categories }: BandedAxis): Float32Array {
  const counts = new Float32Array(categories.length);
  for (const code of codes) if (code < counts.length) counts[code] = (counts[code] as number) + 1;
  const most = Math.max(1, ...counts);
  const room = (BAND * (layout.bottom - layout.top)) / (2 * categories.length);
  const half = Math.min(room, (most * LINE) / 2);
  return counts.map((count) => (half * count) / most);
}

interface BandedAxis {
  readonly codes: Int32Array;
  readonly categories: readonly string[];
}
const banded = ({ column, categories }: Axis): BandedAxis => ({ codes: column.codes, categories });

/**
 * The rows of a category have a band, in the order of the axis that their lines come from or go to: lines between the
 * same values are a ribbon. Rows that are equal there are in the order of `codes`, by their colours.
 */
export function stopsOf(layout: Layout, axes: readonly Axis[], codes: ArrayLike<number>): Stops {
  const [xs, heights]: [number[], Float32Array[]] = [[], []];
  axes.forEach((axis, at) => {
    const x = layout.xs[at] as number;
    const sides =
      axis.scale === 'category' ? [axes[at - 1] ?? axes[at + 1], axes[at + 1] ?? axes[at - 1]] : [undefined];
    const made = sides.map((side) =>
      axis.scale === 'category'
        ? spreadHeights(layout, axis, side, codes)
        : axis.places.map((place) => yOf(layout, place)),
    );
    made.forEach((own) => {
      xs.push(x);
      heights.push(own);
    });
  });
  return { xs, heights };
}

function spreadHeights(layout: Layout, axis: Axis, side: Axis | undefined, codes: ArrayLike<number>): Float32Array {
  const heights = axis.places.map((place) => yOf(layout, place));
  const bands = bandsOf(layout, banded(axis));
  const own = axis.column.codes;
  const place = (row: number): number => side?.places[row] ?? 0;
  const rows = Int32Array.from(heights.keys()).sort(
    (one, other) =>
      (own[one] as number) - (own[other] as number) ||
      (Number.isNaN(place(one)) ? -1 : place(one)) - (Number.isNaN(place(other)) ? -1 : place(other)) ||
      (codes[one] as number) - (codes[other] as number),
  );
  for (let begin = 0; begin < rows.length;) {
    const code = own[rows[begin] as number] as number;
    let end = begin;
    while (end < rows.length && own[rows[end] as number] === code) end++;
    const half = bands[code] ?? 0;
    for (let at = begin; at < end; at++) {
      const row = rows[at] as number;
      heights[row] = (heights[row] as number) + half - (2 * half * (at - begin + 0.5)) / (end - begin);
    }
    begin = end;
  }
  return heights;
}

/**
 * The line of a row as pieces of x and y by turns: it is broken at axes on which the row has no place. A piece at one
 * axis is a short line.
 */
export function piecesOf({ xs, heights }: Stops, row: number): readonly (readonly number[])[] {
  const pieces: number[][] = [];
  let piece: number[] = [];
  for (let stop = 0; stop <= xs.length; stop++) {
    const y = stop < xs.length ? ((heights[stop] as Float32Array)[row] as number) : NaN;
    if (!Number.isNaN(y)) piece.push(xs[stop] as number, y);
    else if (piece.length > 0) {
      const [x, last] = piece.slice(-2) as [number, number];
      if (piece[0] === x) piece.push(x + ALONE, last);
      pieces.push(piece);
      piece = [];
    }
  }
  return pieces;
}

/** The axis whose neighbourhood an x is in. */
export function axisNear(xs: readonly number[], x: number): number {
  let best = 0;
  xs.forEach((own, at) => {
    if (Math.abs(own - x) < Math.abs((xs[best] as number) - x)) best = at;
  });
  return best;
}

/** The row whose line is nearest to a point, within `reach` pixels up or down; null for none. */
export function rowAt({ xs, heights }: Stops, mask: Uint8Array, x: number, y: number, reach: number): number | null {
  const right = Math.max(1, xs.findIndex((own) => own >= x) === -1 ? xs.length - 1 : xs.findIndex((own) => own >= x));
  const [from, to] = [xs[right - 1], xs[right]];
  if (from === undefined || to === undefined || from === to || x < from - reach || x > to + reach) return null;
  const share = (x - from) / (to - from);
  const [first, second] = [heights[right - 1] as Float32Array, heights[right] as Float32Array];
  let best: number | null = null;
  let distance = reach;
  for (let row = 0; row < mask.length; row++) {
    if (!mask[row]) continue;
    const own = Math.abs((first[row] as number) + share * ((second[row] as number) - (first[row] as number)) - y);
    if (own < distance) {
      distance = own;
      best = row;
    }
  }
  return best;
}

/** The order of names after one of them was moved to a place. */
export function moved(names: readonly string[], name: string, to: number): readonly string[] {
  const others = names.filter((other) => other !== name);
  const at = Math.max(0, Math.min(others.length, to));
  return [...others.slice(0, at), name, ...others.slice(at)];
}
