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
