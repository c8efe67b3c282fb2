/** Answers about memory by the calls that took it. Times are in ns from the beginning of the profile. */
import type { Note } from './profile';

import type { CallNodes } from '@insight-host/kit/flame';

/** Something that was measured in calls; `unit`: ns, bytes, count, or another. */
export interface CallMeasure {
  readonly name: string;
  readonly unit: string;
}

/** A tree of calls; of `samples` also what was measured, and the place of what this is of. */
export interface CallsAnswer extends CallNodes {
  readonly measures: readonly CallMeasure[];
  readonly measure: number | null;
  readonly counted: 'samples' | 'calls';
}

/** Who held how much when. `names`: null for all others; `bytes` by name, then by time. */
export interface HeldAnswer {
  readonly time: readonly number[];
  readonly names: readonly (string | null)[];
  readonly bytes: readonly (readonly number[])[];
  readonly peak: number;
}

/** Segments at a moment, by address, and the blocks in them. */
export interface PoolAnswer {
  readonly at: number;
  readonly segments: {
    readonly address: readonly number[];
    readonly bytes: readonly number[];
  };
  readonly blocks: {
    readonly segment: readonly number[];
    readonly offset: readonly number[];
    readonly bytes: readonly number[];
    readonly name: readonly string[];
    readonly purpose: readonly string[];
    readonly start: readonly number[];
  };
  readonly facts: PoolFacts;
  /** Of each stream, if several have memory: at the end of the snapshot. */
  readonly streams: readonly (PoolFacts & { readonly stream: number })[];
}

/** Bytes of a pool of the allocator. */
export interface PoolFacts {
  readonly reserved: number;
  readonly allocated: number;
  /** Freed, but a stream may still use it. */
  readonly pending: number;
  readonly free_blocks: number;
  readonly largest_free: number;
  /** Of segments in which nothing is. */
  readonly unused_segments: number;
}

/** The largest allocations of a span that are held at its end; `count` and `total` are of all. */
export interface BlocksAnswer {
  readonly at: number;
  readonly name: readonly string[];
  readonly module: readonly string[];
  readonly purpose: readonly string[];
  readonly bytes: readonly number[];
  readonly start: readonly number[];
  readonly count: number;
  readonly total: number;
}

/** What every step takes and none gives back. */
export interface LeaksAnswer {
  readonly leaks: readonly {
    readonly name: string;
    readonly device: string;
    /** The first step that keeps something, and how many do. */
    readonly since: number;
    readonly steps: number;
    readonly per_step: number;
    readonly bytes: number;
    readonly count: number;
  }[];
}

/** The last collective of a rank in a group, -1 if it recorded none. */
export interface RankLast {
  readonly rank: number;
  readonly sequence: number;
  readonly name: string;
  readonly state: string;
  /** The innermost call outside of installed packages. */
  readonly place: string;
  readonly stack: readonly string[];
}

/** Process groups of a job: who waits in the collective `sequence`, and who has not called it. */
export interface HangsAnswer {
  readonly groups: readonly {
    readonly group: string;
    readonly ranks: readonly number[];
    /** Ranks of the group without a dump (`cause` null), or with one that cannot be read. */
    readonly unread: readonly { readonly rank: number; readonly cause: Note | null }[];
    /** 0: all have completed what they recorded. */
    readonly sequence: number;
    readonly name: string;
    readonly sizes: string;
    readonly waiting: readonly RankLast[];
    readonly missing: readonly RankLast[];
    readonly late: readonly { readonly rank: number; readonly seconds: number }[];
    readonly differences: readonly {
      readonly sequence: number;
      readonly what: string;
      readonly said: Readonly<Record<string, readonly number[]>>;
    }[];
  }[];
}
