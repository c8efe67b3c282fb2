/**
 * Answers about the ranks of a job and the communication between them.
 * Times are in ns from the beginning of the profile; null: not known.
 */
import type { FlopsRates } from './flops';
import type { Note, ReadingState, Value } from './profile';
import type { StepSummary } from './steps';
import type { TableAnswer } from './table';

export interface CommunicationAnswer extends TableAnswer {
  /** Numbers of steps that one may ask for. */
  readonly steps: readonly number[];
}

export interface RankRow {
  readonly profile: string;
  readonly rank: number;
  readonly host: string;
  readonly stage: Value;
  readonly steps: StepSummary | null;
  /** Medians over the steps, ns. */
  readonly times: Readonly<Record<string, number>>;
  readonly peak_memory: number | null;
  readonly flops: Partial<FlopsRates> | null;
}

/** A rank that holds up the others of its stage: medians of a step, ns; `time` is what makes most of the difference. */
export interface Straggler {
  readonly rank: number;
  readonly profile: string;
  readonly stage: Value;
  readonly time: string;
  readonly work: number;
  readonly usual: number;
  readonly wait: number | null;
  readonly usual_wait: number | null;
  readonly steps: number;
}

export interface ClusterAnswer {
  readonly ranks: readonly RankRow[];
  readonly others: readonly { readonly profile: string; readonly state: ReadingState; readonly failure: Note | null }[];
  readonly stragglers: readonly Straggler[];
  /** Numbers of the steps that are left out. */
  readonly warm_up: readonly number[];
}

/** One time of every step of each rank, ns; `count` is of all steps where these are too many. */
export interface RankStepsAnswer {
  readonly times: readonly string[];
  readonly time: string | null;
  readonly ranks: readonly {
    readonly rank: number;
    readonly profile: string;
    readonly number: readonly number[];
    readonly value: readonly number[];
    readonly count: number;
  }[];
}
