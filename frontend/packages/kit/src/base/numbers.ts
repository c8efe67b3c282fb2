/** Numbers of axes and of columns: round ones, and the whole ones that a column of floats was made of. */
import type { Columns, Locale } from '@insight-host/api';

/** Of x: the number of the step, seconds since the first one, or the time of day. */
export type XKind = 'step' | 'relative' | 'wall';

const DIGITS = [1, 2, 2.5, 5];
/** Digits of steps that stay whole from one on. */
export const WHOLE_DIGITS: readonly number[] = [1, 2, 5];

/** The smallest of these digits times a power of ten that is not below `size`; 1 for a size that is none. */
export function niceStep(size: number, digits: readonly number[] = DIGITS): number {
  if (!(size > 0) || !Number.isFinite(size)) return 1;
  const power = 10 ** Math.floor(Math.log10(size));
  return (digits.find((digit) => size / power <= digit * (1 + 1e-9)) ?? 10) * power;
}

const MOST = 200;

/** Multiples of a step from `low` to `high`; none if they would be more than a chart has room for. */
export function multiples(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  if (!(last - first <= MOST)) return [];
  const isWhole = Number.isInteger(step); // products are exact, and may have more than 15 digits
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
    const value = (first + i) * step;
    return isWhole ? value : Number(value.toPrecision(15));
  });
}

/** Some `count` round numbers from `low` to `high`, evenly apart. */
export function evenTicks(low: number, high: number, count: number, digits?: readonly number[]): number[] {
  return high > low ? multiples(low, high, niceStep((high - low) / Math.max(1, count), digits)) : [low];
}

/** The whole numbers that a column of floats was made of, where it rounds some. */
const wholes = new WeakMap<Float64Array, BigInt64Array>();

/** A column as numbers. Integers beyond 2^53 are rounded: `exactAt` has all of their digits. */
export function floats(column: ReturnType<Columns['column']>): Float64Array {
  if (column instanceof Float64Array) return column;
  return column instanceof BigInt64Array ? rounded(column) : new Float64Array(column);
}

function rounded(column: BigInt64Array): Float64Array {
  const out = new Float64Array(column.length);
  let isExact = true;
  for (let i = 0; i < out.length; i++) {
    const value = (out[i] = Number(column[i]));
    isExact &&= Number.isSafeInteger(value);
  }
  if (!isExact) wholes.set(out, column);
  return out;
}

/** Returns the number at an index with all digits that the host sent; NaN beyond the end of the column. */
export function exactAt(column: Float64Array, at: number): number | bigint {
  const value = column[at] ?? NaN;
  return Number.isSafeInteger(value) ? value : (wholes.get(column)?.[at] ?? value);
}

/** A number for a text of the page, which writes numbers as the locale does. */
export const said = (value: number | bigint, locale: Locale): number | string =>
  typeof value === 'bigint' ? value.toLocaleString(locale) : value;

/** The whole numbers of a column of steps of which some are beyond 2^53; null for all others. */
export const wholeOf = (column: Float64Array): BigInt64Array | null => wholes.get(column) ?? null;

/** The numbers of a column at these places. */
export function picked(column: ArrayLike<number>, places: readonly number[]): Float64Array {
  const whole = column instanceof Float64Array ? wholes.get(column) : undefined;
  if (whole) return rounded(BigInt64Array.from(places, (i) => whole[i] as bigint));
  return Float64Array.from(places, (i) => column[i] as number);
}

/** The first `count` numbers of a column, then another column. */
export function spliced(
  head: Float64Array | Float32Array,
  count: number,
  tail: Float64Array | Float32Array,
): Float64Array {
  const out = new Float64Array(count + tail.length);
  out.set(head.subarray(0, count));
  out.set(tail, count);
  const [before, after] = [head, tail].map((part) => (part instanceof Float64Array ? wholes.get(part) : undefined));
  if (before || after) {
    const whole = BigInt64Array.from(out, (value) => (Number.isInteger(value) ? BigInt(value) : 0n));
    if (before) whole.set(before.subarray(0, count));
    if (after) whole.set(after, count);
    wholes.set(out, whole);
  }
  return out;
}
