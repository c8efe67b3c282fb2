/** From a number to its place between the two ends of a legend. */
import type { Measure } from './answer';

export interface Scale {
  /** From 0 to 1. */
  at(value: number): number;
  /** Numbers at the begin, in the middle and at the end of the legend. */
  readonly ends: readonly [number, number, number];
  /** The middle is 0, and both sides have a colour. */
  readonly diverges: boolean;
}

const LOOKED_AT = 20_000; // numbers that decide the ends
const OUT = 0.01; // share at each end that may be beyond

/** The scale of a measure for these numbers: shares from 0 to 1, means about 0, and all others by powers of ten. */
export function scaleOf(measure: Measure, numbers: Float32Array): Scale {
  if (measure === 'zeros' || measure === 'dead')
    return { at: (value) => Math.max(0, Math.min(1, value)), ends: [0, 0.5, 1], diverges: false };
  const sizes = sample(numbers);
  if (measure === 'mean') {
    const most = sizes[Math.max(0, Math.ceil((1 - OUT) * sizes.length) - 1)] ?? 1;
    const at = (value: number): number =>
      Math.max(0, Math.min(1, 0.5 + Math.sign(value) * 0.5 * Math.sqrt(Math.abs(value) / most)));
    return { at, ends: [-most, 0, most], diverges: true };
  }
  const [low, high] = widened(
    sizes[Math.floor(OUT * sizes.length)] ?? 1,
    sizes.at(-1 - Math.floor(OUT * sizes.length)) ?? 1,
  );
  const [from, length] = [Math.log10(low), Math.log10(high) - Math.log10(low)];
  return {
    at: (value) => (value > 0 ? Math.max(0, Math.min(1, (Math.log10(value) - from) / length)) : 0),
    ends: [low, 10 ** (from + length / 2), high],
    diverges: false,
  };
}

/** Sizes of numbers that are neither 0 nor missing, in order. */
function sample(numbers: Float32Array): Float32Array {
  const every = Math.max(1, Math.floor(numbers.length / LOOKED_AT));
  const found: number[] = [];
  for (let i = 0; i < numbers.length; i += every) {
    const size = Math.abs(numbers[i] as number);
    if (size > 0) found.push(size);
  }
  return Float32Array.from(found).sort();
}

/** At least a factor of 2, so that noise does not look like a change. */
function widened(low: number, high: number): readonly [number, number] {
  const missing = Math.sqrt(2 / Math.max(1, Math.min(2, high / low)));
  return [low / missing, high * missing];
}
