/**
 * The answer about memory: its course, its peaks, and what held it.
 * Times are in ns from the beginning of the profile; null: not known.
 */

import type { PoolFacts } from './calls';

export interface Peak {
  readonly label: string;
  readonly device: string;
  readonly unit: string;
  readonly value: number;
  readonly time: number | null;
}

/** What MindSpore planned for one graph: what is taken after each of its nodes. */
export interface PlannedGraph {
  readonly graph: number | string | null;
  readonly static_bytes: number | null;
  readonly nodes: readonly string[];
  readonly bytes: readonly number[];
  readonly peak_node: string | null;
  readonly peak_bytes: number | null;
  readonly holders: readonly {
    readonly name: string;
    readonly bytes: number | null;
    readonly type: string | null;
    readonly data_type: string | null;
  }[];
}

export interface MemoryCurve {
  readonly device: string;
  readonly label: string;
  readonly unit: string;
  readonly points: number;
  readonly time: readonly number[];
  readonly minimum: readonly number[];
  readonly maximum: readonly number[];
  readonly last: readonly number[];
}

/** Who took memory, and what for: data, activation, gradient, optimiser; "" where it is not known. */
export interface Owner {
  readonly name: string;
  readonly module: string;
  readonly purpose: string;
}

export interface MemoryAnswer {
  readonly curves: readonly MemoryCurve[];
  readonly peaks: readonly Peak[];
  /**
   * By device: what was held at its peak. `bytes` are those of `rows`, of names that are not listed, and `before`:
   * allocated before recording.
   */
  readonly holders: readonly {
    readonly device: string;
    readonly time: number;
    readonly bytes: number;
    readonly before: number | null;
    readonly names: number;
    /** The most first. */
    readonly purposes: readonly { readonly purpose: string; readonly bytes: number }[];
    readonly rows: readonly (Owner & { readonly bytes: number; readonly count: number })[];
  }[];
  readonly largest: readonly (Owner & {
    /** Of the inputs of the operator. */
    readonly shapes: string;
    readonly device: string;
    readonly bytes: number;
    readonly start: number;
    readonly end: number | null;
  })[];
  /** Of the allocators of devices at the end, and allocations that failed. */
  readonly pools: readonly (PoolFacts & { readonly device: string })[];
  readonly failures: readonly {
    readonly device: string;
    readonly at: number;
    readonly wanted: number;
    readonly free: number;
  }[];
  readonly graphs: readonly PlannedGraph[];
}
