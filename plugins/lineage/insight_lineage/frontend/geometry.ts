/** Where things of the parallel coordinates are, in CSS pixels. */
import type { Axis } from './axes';

export const TOP = 34; // names of axes
export const BOTTOM = 26; // what is missing
const LETTER = 7.2;
const [NARROWEST, WIDEST] = [40, 140]; // left of the first axis
export const RIGHT = 56; // of the last axis
/** From the low end of an axis to the place of what is missing. */
export const MISSING_BELOW = 16;
const TICK_LETTERS = 20;
export const TRACK = 20; // width of the strip that brushes take

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

/** How many letters of a tick there is room for left of an axis. */
export function tickLetters({ xs }: Layout, at: number): number {
  const room = (xs[at] as number) - (at === 0 ? 0 : (xs[at - 1] as number)) - 14;
  return Math.max(3, Math.min(TICK_LETTERS, Math.floor(room / LETTER)));
}

/** The place 0 is at the bottom; what has none is below. */
export function yOf(layout: Layout, place: number): number {
  return Number.isNaN(place) ? layout.bottom + MISSING_BELOW : layout.bottom - place * (layout.bottom - layout.top);
}

export function placeAt(layout: Layout, y: number): number {
  return Math.max(0, Math.min(1, (layout.bottom - y) / (layout.bottom - layout.top)));
}

/** Of each axis, the height of each row. */
export function heightsOf(layout: Layout, axes: readonly Axis[]): readonly Float32Array[] {
  return axes.map((axis) => axis.places.map((place) => yOf(layout, place)));
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
export function rowAt(
  layout: Layout,
  heights: readonly Float32Array[],
  mask: Uint8Array,
  x: number,
  y: number,
  reach: number,
): number | null {
  const { xs } = layout;
  const right = Math.max(1, xs.findIndex((own) => own >= x) === -1 ? xs.length - 1 : xs.findIndex((own) => own >= x));
  const [from, to] = [xs[right - 1], xs[right]];
  if (from === undefined || to === undefined || x < from - reach || x > to + reach) return null;
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
