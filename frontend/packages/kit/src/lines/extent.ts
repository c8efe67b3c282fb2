import type { Line } from './props';
import type { Numbers } from '@insight-host/kit/draw';
import { niceStep } from '@insight-host/kit';

/** A connected part of a line; `sorted`: its x never decreases. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly sorted: boolean;
}

const known = new WeakMap<Line, readonly Piece[]>();

export function pieces(line: Line): readonly Piece[] {
  let found = known.get(line);
  if (!found) known.set(line, (found = cut(line)));
  return found;
}

function cut(line: Line): Piece[] {
  const length = Math.min(line.x.length, line.y.length);
  const inside = (line.breaks ?? []).filter((i) => i > 0 && i < length);
  const edges = [0, ...[...new Set(inside)].sort((a, b) => a - b), length];
  const found: Piece[] = [];
  for (let i = 0; i + 1 < edges.length; i++) {
    const [start, end] = [edges[i] as number, edges[i + 1] as number];
    if (end > start) found.push({ start, end, sorted: isSorted(line.x, start, end) });
  }
  return found;
}

function isSorted(xs: Numbers, start: number, end: number): boolean {
  for (let i = start + 1; i < end; i++) {
    if (!((xs[i] as number) >= (xs[i - 1] as number))) return false;
  }
  return true;
}

/** First index in [start, end) whose x is not below `value`; `end` if none. */
export function lowerBound(xs: Numbers, value: number, start = 0, end = xs.length): number {
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((xs[middle] as number) < value) start = middle + 1;
    else end = middle;
  }
  return start;
}

/** First index in [start, end) whose x is above `value`. */
export function upperBound(xs: Numbers, value: number, start = 0, end = xs.length): number {
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((xs[middle] as number) <= value) start = middle + 1;
    else end = middle;
  }
  return start;
}

/** Indices of a piece to draw for an x window: what lies inside and one neighbour on each side. */
export function visible(xs: Numbers, piece: Piece, window: readonly [number, number]): readonly [number, number] {
  if (!piece.sorted) return [piece.start, piece.end];
  const from = lowerBound(xs, window[0], piece.start, piece.end);
  const to = upperBound(xs, window[1], piece.start, piece.end);
  return [Math.max(piece.start, from - 1), Math.min(piece.end, to + 1)];
}

/** Smallest and largest finite x over all lines; null if none. */
export function xRange(lines: readonly Line[], log: boolean): readonly [number, number] | null {
  let [lo, hi] = [Infinity, -Infinity];
  const take = (x: number): void => {
    if (!Number.isFinite(x) || (log && x <= 0)) return;
    if (x < lo) lo = x;
    if (x > hi) hi = x;
  };
  for (const line of lines) {
    for (const { start, end, sorted } of pieces(line)) {
      if (sorted) {
        take(line.x[log ? Math.min(end - 1, upperBound(line.x, 0, start, end)) : start] as number);
        take(line.x[end - 1] as number);
      } else {
        for (let i = start; i < end; i++) take(line.x[i] as number);
      }
    }
  }
  return lo <= hi ? [lo, hi] : null;
}

const LARGEST = Number.MAX_VALUE / 2; // the distance between two of these is still a number

export function padded(range: readonly [number, number] | null, log: boolean): readonly [number, number] {
  if (!range) return log ? [0.1, 10] : [0, 1];
  let [lo, hi] = range;
  if (log) {
    const margin = Math.max(0.02, (Math.log10(hi) - Math.log10(lo)) * 0.05);
    const wide = lo === hi ? 0.5 : margin;
    return [Math.max(Number.MIN_VALUE, lo * 10 ** -wide), Math.min(Number.MAX_VALUE, hi * 10 ** wide)];
  }
  if (lo === hi) {
    const margin = Math.abs(lo) * 0.1 || 1;
    [lo, hi] = [lo - margin, hi + margin];
  }
  const half = hi / 2 - lo / 2; // hi - lo may overflow
  const margin = half * 0.1;
  const step = niceStep(half / 20);
  const round = (value: number, by: (v: number) => number): number => {
    const rounded = by(value / step) * step;
    return Math.max(-LARGEST, Math.min(LARGEST, Number.isFinite(rounded) ? rounded : value));
  };
  return [round(lo - margin, Math.floor), round(hi + margin, Math.ceil)];
}

function each(
  lines: readonly Line[],
  window: readonly [number, number],
  visit: (ys: Numbers, start: number, end: number, xs: Numbers) => void,
): void {
  for (const line of lines) {
    for (const piece of pieces(line)) {
      const [start, end] = visible(line.x, piece, window);
      visit(line.y, start, end, line.x);
      if (line.band) {
        visit(line.band.low, start, end, line.x);
        visit(line.band.high, start, end, line.x);
      }
    }
  }
}

/** The smallest and the largest finite value in the x window; null if none. */
export function extremes(
  lines: readonly Line[],
  window: readonly [number, number],
  log: boolean,
): readonly [number, number] | null {
  let [lo, hi] = [Infinity, -Infinity];
  let [outLo, outHi] = [Infinity, -Infinity]; // of neighbours outside, when nothing lies inside
  each(lines, window, (ys, start, end, xs) => {
    for (let i = start; i < end; i++) {
      const y = ys[i] as number;
      if (!Number.isFinite(y) || (log && y <= 0)) continue;
      const x = xs[i] as number;
      if (x >= window[0] && x <= window[1]) {
        if (y < lo) lo = y;
        if (y > hi) hi = y;
      } else {
        if (y < outLo) outLo = y;
        if (y > outHi) outHi = y;
      }
    }
  });
  if (lo <= hi) return [lo, hi];
  return outLo <= outHi ? [outLo, outHi] : null;
}

const SAMPLE = 2000;

/** Finite values in the x window, evenly taken from all of them if they are many. */
export function sample(lines: readonly Line[], window: readonly [number, number], log: boolean): Float64Array {
  let count = 0;
  each(lines, window, (_ys, start, end) => (count += end - start));
  const stride = Math.max(1, Math.floor(count / SAMPLE));
  const values = new Float64Array(Math.ceil(count / stride) + lines.length * 4 + 8);
  let [kept, seen] = [0, 0];
  each(lines, window, (ys, start, end, xs) => {
    for (let i = start; i < end; i++) {
      const x = xs[i] as number;
      const y = ys[i] as number;
      if (!Number.isFinite(y) || (log && y <= 0) || x < window[0] || x > window[1]) continue;
      if (seen++ % stride === 0 && kept < values.length) values[kept++] = y;
    }
  });
  return values.subarray(0, kept);
}
