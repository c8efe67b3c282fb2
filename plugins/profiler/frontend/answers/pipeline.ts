/** The answer about the pipeline that prepares data. null: not known. */

export interface PipelineOperator {
  readonly id: number;
  readonly type: string;
  readonly workers?: number | null;
  readonly parent?: number | null;
  readonly children?: readonly number[] | null;
  readonly queue?: {
    readonly capacity?: number | null;
    readonly average?: number | null;
    readonly usage?: number | null;
    readonly samples?: readonly number[] | null;
  } | null;
  readonly cpu?: { readonly user?: number | null; readonly system?: number | null } | null;
}

export interface Series {
  readonly group: string;
  readonly label: string;
  readonly unit: string;
  readonly values: readonly (number | null)[];
  readonly average: number | null;
}

/** Columns by batch, and totals of all batches. */
export interface QueueInfo {
  readonly name: string;
  readonly batches: number;
  readonly empty: number | null;
  readonly number?: readonly (number | null)[];
  readonly get?: readonly (number | null)[];
  readonly push?: readonly (number | null)[];
  readonly total?: readonly (number | null)[];
  readonly queue_size?: readonly (number | null)[];
  readonly queue_capacity?: readonly (number | null)[];
}

export interface PipelineAnswer {
  readonly operators: readonly PipelineOperator[];
  readonly queues: readonly QueueInfo[];
  readonly cpu?: {
    readonly processors: number | null;
    readonly interval_ms: number | null;
    readonly times_ms: readonly number[];
    readonly series: readonly Series[];
  } | null;
  /** Sentences of MindSpore's own, in English as it wrote them. */
  readonly suggestions?: readonly string[];
  /** Stages of operations; averages in ns. */
  readonly operations?: readonly {
    readonly operation: string;
    readonly stage: string;
    readonly calls: number;
    readonly average: number;
    readonly information: string;
  }[];
}
