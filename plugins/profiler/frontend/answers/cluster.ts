/**
 * Answers about the ranks of a job and the communication between them.
 * Times are in ns from the beginning of the profile; null: not known.
 */
import type { FlopsRates } from './operators';
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
  /** The number of the step since which it is slow; null for all. */
  readonly since: number | null;
}

export interface ClusterAnswer {
  readonly ranks: readonly RankRow[];
  readonly others: readonly { readonly profile: string; readonly state: ReadingState; readonly failure: Note | null }[];
  /** Profiles that are not compared because `used` is of the same rank at the same time. */
  readonly same_ranks: readonly { readonly profile: string; readonly rank: number; readonly used: string }[];
  /** How many ranks of the job have no profile that can be read. */
  readonly missing: number;
  readonly stragglers: readonly Straggler[];
  /** Numbers of the steps that are left out. */
  readonly warm_up: readonly number[];
  /** Bytes of the files of all ranks, and how many of them are read. */
  readonly read: number;
  readonly total: number;
}

export interface RankPlace {
  readonly rank: number;
  readonly profile: string;
}

/** A measure of every step of each rank; null: not known. Without a measure nothing else is there. */
export interface RankMapAnswer {
  readonly measures: readonly string[];
  readonly measure: string | null;
  /** `relative`: by how much it differs from the median of the stage in that step. */
  readonly scale: 'absolute' | 'relative';
  readonly unit: 'ns' | 'bytes_per_second';
  readonly ranks: readonly RankPlace[];
  readonly stages: readonly Value[];
  /** Numbers of the first and last step of each column. */
  readonly first?: readonly number[];
  readonly last?: readonly number[];
  /** Where columns hold several steps: the number of the one whose value shows, by rank. */
  readonly at?: readonly (readonly number[])[] | null;
  readonly values?: readonly (readonly (number | null)[])[];
  readonly steps?: number;
}

/** Links between ranks as columns; `kind` is a place in `kinds`, times are in ns. `count` is of all. */
export interface RankLinksAnswer {
  readonly ranks: readonly RankPlace[];
  readonly kinds: readonly string[];
  readonly source: readonly number[];
  readonly target: readonly number[];
  readonly kind: readonly number[];
  readonly elapsed: readonly number[];
  readonly bytes: readonly number[];
  readonly bandwidth: readonly (number | null)[];
  readonly count: number;
  readonly slow: readonly {
    readonly source: number;
    readonly target: number;
    readonly kind: string;
    readonly bandwidth: number;
    readonly usual: number;
  }[];
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
