/** Answers about every step of every rank of a job. Times in ns. */

import type { StepRange } from '../address';

/** A span in tiles: a row for each rank or several, a column for each stretch of steps; null: nothing recorded. */
export interface EveryStepAnswer {
  readonly span: string;
  readonly spans: readonly string[];
  /** How many ranks there are. */
  readonly count: number;
  /** The first and last step of all. */
  readonly whole: StepRange;
  /** The first rank of each row, and the steps of each column. */
  readonly ranks: readonly number[];
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly values: readonly (readonly (number | null)[])[];
  readonly slowest: readonly {
    readonly first: number;
    readonly last: number;
    readonly rank: number;
    readonly share: number;
    readonly more: number;
  }[];
}

export const TIME_KINDS = ['useful', 'restarting', 'stalled', 'checkpointing'] as const;
export type TimeKind = (typeof TIME_KINDS)[number];

/** What the time of each start of a job went to, and ranks that are slow to the last step. */
export interface GoodputAnswer {
  readonly attempts: readonly {
    readonly attempt: number;
    readonly first: number;
    readonly last: number;
    readonly times: Readonly<Record<TimeKind, number>>;
  }[];
  readonly slow: readonly {
    readonly rank: number;
    readonly span: string;
    readonly since: number;
    readonly steps: number;
    readonly more: number;
    readonly share: number;
  }[];
}
