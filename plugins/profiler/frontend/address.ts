/** What the address says of steps and of zooms. */
import type { Codec } from '@insight-host/api';

/** Steps by their numbers, both ends included. */
export interface StepRange {
  readonly first: number;
  readonly last: number;
}

/** `7` or `2-5`; null for all steps. */
export const stepsCodec: Codec<StepRange | null> = {
  parse(text) {
    const [, first, last] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text ?? '') ?? [];
    if (first === undefined) return null;
    const [a, b] = [Number(first), Number(last ?? first)];
    return { first: Math.min(a, b), last: Math.max(a, b) };
  },
  format: (range) => (range ? stepsText(range) : null),
};

export const stepsText = ({ first, last }: StepRange): string => (first === last ? String(first) : `${first}-${last}`);

/**
 * What a press on a step makes of what was chosen: this step; with Shift all from the chosen ones to it; again: all.
 */
export function pressed(range: StepRange | null, step: number, extend: boolean): StepRange | null {
  if (extend && range) return { first: Math.min(range.first, step), last: Math.max(range.last, step) };
  return range && range.first === step && range.last === step ? null : { first: step, last: step };
}

export const holds = (range: StepRange | null, step: number): boolean =>
  range === null || (step >= range.first && step <= range.last);

/** Parts of charts that are zoomed into, for the URL: `x0:x1:y0:y1`, nothing where an axis shows all. */
export interface Zoom {
  readonly x: readonly [number, number] | null;
  readonly y: readonly [number, number] | null;
}

export function zoomOf(text: string): Zoom | null {
  const parts = text.split(':').map((part) => (part === '' ? NaN : Number(part)));
  const range = (at: number): readonly [number, number] | null => {
    const [low, high] = [parts[at] ?? NaN, parts[at + 1] ?? NaN];
    return Number.isFinite(low) && Number.isFinite(high) && low < high ? [low, high] : null;
  };
  const zoom = { x: range(0), y: range(2) };
  return zoom.x || zoom.y ? zoom : null;
}

export const zoomText = ({ x, y }: Zoom): string =>
  [...(x ?? ['', '']), ...(y ?? ['', ''])]
    .map((value) => (typeof value === 'number' ? String(Number(value.toPrecision(9))) : ''))
    .join(':');
