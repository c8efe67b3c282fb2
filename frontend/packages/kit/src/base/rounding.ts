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
