/**
 * Answers about steps and how their time divides.
 * Times are in ns from the beginning of the profile; null: not known.
 */
import type { TableAnswer } from './table';

/** What the time of a step divides into, in the ways that logs know. */
export const CATEGORIES = [
  ...['kernel', 'memcpy', 'memset', 'communication', 'runtime', 'data', 'operator', 'other', 'idle'],
  ...['iteration_interval', 'forward_backward', 'tail'],
  ...['computing', 'communication_not_overlapped', 'receive', 'bubble', 'free'],
] as const;

/** Of the durations of steps. */
export interface StepSummary {
  readonly origin?: string;
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly minimum: number;
  readonly maximum: number;
  /** Numbers of steps that took unusually long or short, at most 100 of `outlier_count`. */
  readonly outliers: readonly number[];
  readonly outlier_count: number;
  /** How many steps at the beginning are outliers. */
  readonly warm_up: number;
}

/** Times of steps by what they were spent on, as columns; `number` and `duration` are always there. */
export type StepRows = Readonly<Record<string, readonly (number | null)[]>>;

export interface StepsAnswer extends TableAnswer {
  readonly origin: string;
  readonly average: Readonly<Record<string, number | null>>;
  readonly summary: StepSummary | null;
  readonly divisions: readonly string[];
}

export interface Stretch {
  readonly name: string;
  readonly start: number;
  readonly duration: number;
}

/** One step (null: the average of `steps` steps, without outliers); places are from its start. */
export interface StepAnswer {
  readonly number: number | null;
  readonly steps: number;
  readonly start: number;
  readonly duration: number;
  readonly parts: readonly Stretch[];
  readonly lanes: readonly Stretch[];
}
