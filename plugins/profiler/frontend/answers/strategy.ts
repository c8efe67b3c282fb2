/** The answers about the parallel strategy of a model. null: not known. */
import type { Note, ReadingState } from './profile';

/** For each dimension of a tensor, the axes of the device matrix that cut it, counted from the left. */
export type Axes = readonly (readonly number[])[];

export interface Communication {
  readonly kind: string;
  /** Why: redistribution, gradient, result or pipeline. */
  readonly reason: string | null;
  readonly ranks: readonly number[];
  readonly count: number;
  /** What a device puts in, and what it sends if the collective runs as a ring. */
  readonly bytes: number | null;
  readonly sent: number | null;
  readonly peer: { readonly stage: number; readonly rank: number | null } | null;
}

export interface StrategyOperator {
  readonly id: string;
  readonly type: string;
  readonly scope: string;
  readonly full_name: string;
  /** Operators of the same stage. */
  readonly inputs: readonly string[];
  readonly parameters: readonly string[];
  /** Into how many parts each dimension of each input is cut. */
  readonly strategy: Axes | null;
  /** Into how many parts the work is cut. */
  readonly shards: number | null;
  readonly devices: readonly number[] | null;
  readonly output_axes: Axes | null;
  /** On one device. */
  readonly output_shapes: readonly (readonly number[] | null)[];
  readonly bytes: number | null;
  readonly communication: Communication | null;
}

/** An edge at whose ends a tensor is cut differently, with the collectives that this needs. */
export interface LayoutChange {
  readonly from: string;
  readonly to: string;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly collectives: readonly {
    readonly kind: string;
    readonly dim: number;
    readonly ranks: number;
    readonly bytes: number | null;
    readonly sent: number | null;
  }[];
}

export interface ShardedTensor {
  readonly role: 'input' | 'output' | 'parameter';
  readonly name: string;
  readonly data_type: string;
  readonly shape: readonly number[] | null;
  readonly shard: readonly number[] | null;
  readonly parts: readonly number[] | null;
  readonly bytes: number | null;
  readonly devices: readonly number[] | null;
  readonly axes: Axes | null;
}

export interface StrategyStage {
  readonly stage: number;
  /** The rank that wrote it; -1 if the log does not say. */
  readonly rank: number;
  readonly type: string;
  readonly profile: string;
  readonly ranks: readonly number[];
  readonly operators: readonly StrategyOperator[];
  readonly left_out: number;
  readonly changes: readonly LayoutChange[];
  readonly parameters: readonly ShardedTensor[];
}

/** A send of one stage, and the receive of the other that belongs to it. */
export interface StageLink {
  readonly from_stage: number;
  readonly from: string;
  readonly to_stage: number;
  readonly to: string | null;
  readonly bytes: number | null;
}

export interface StrategyAnswer {
  readonly stages: readonly StrategyStage[];
  readonly links: readonly StageLink[];
  /** Stages that are not here yet, or never will be. */
  readonly others: readonly {
    readonly stage: number;
    readonly profile: string;
    readonly state: ReadingState;
    readonly failure: Note | null;
  }[];
}

export interface StrategyOperatorAnswer {
  readonly attributes: Readonly<Record<string, string>>;
  readonly tensors: readonly ShardedTensor[];
  readonly ranks: readonly number[];
  /** For each tensor, what each rank holds: start and end in each dimension. */
  readonly slices: readonly (readonly (readonly (readonly [number, number])[] | null)[] | null)[];
}
