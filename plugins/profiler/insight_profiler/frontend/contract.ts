/**
 * Answers of the plugin's routes (docs/http_api.md). Times are in ns from the beginning of the profile; null: not
 * known.
 */

export type Value = string | number | boolean | null;
export type Values = Readonly<Record<string, Value>>;

export const VIEWS = [
  'overview',
  'operators',
  'kernels',
  'steps',
  'timeline',
  'memory',
  'pipeline',
  'communication',
  'cluster',
  'strategy',
  'flops',
  'shapes',
] as const;
export type ViewName = (typeof VIEWS)[number] | 'compare';

export interface ProfileKey {
  readonly run: string;
  readonly profile: string;
}

export type ReadingState = 'reading' | 'ready' | 'failed';

export interface ProfileInfo extends ProfileKey {
  readonly name: string;
  readonly source: string;
  readonly rank: number | null;
  readonly bytes: number;
  /** Seconds since the epoch. */
  readonly wall_time: number;
}

/** Something to know: a code with a sentence in the catalogue, and the same in English for codes that have none. */
export interface Note {
  readonly code: string;
  readonly values: Values;
  readonly text: string;
}

export interface Device {
  readonly name: string;
  readonly kind: string;
  readonly facts: Values;
}

/** A profile as far as it is read; what is optional is there as soon as something is. */
export interface ProfileAnswer extends ProfileInfo {
  readonly state: ReadingState;
  readonly read: number;
  readonly total: number;
  readonly version: number;
  readonly failure: Note | null;
  readonly complete: boolean;
  readonly notes: readonly Note[];
  readonly views: readonly string[];
  readonly host?: string;
  readonly worker?: string;
  readonly world_size?: number | null;
  readonly platform?: string;
  readonly devices?: readonly Device[];
  readonly start_ns?: string | null;
  readonly duration_ns?: number;
  readonly step_origin?: '' | 'recorded' | 'inferred';
  readonly facts?: Values;
  readonly counts?: Readonly<Record<string, number>>;
}

/** What the time of a step divides into, in the ways that logs know. */
export const CATEGORIES = [
  ...['kernel', 'memcpy', 'memset', 'communication', 'runtime', 'data', 'operator', 'other', 'idle'],
  ...['iteration_interval', 'forward_backward', 'tail'],
  ...['computing', 'communication_not_overlapped', 'receive', 'bubble', 'free'],
] as const;
export type Side = 'host' | 'device';

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

export interface Advice extends Note {
  readonly severity: string;
  readonly view: string;
  readonly parameters: Values;
}

/** Times of steps by what they were spent on, as columns; `number` and `duration` are always there. */
export type StepRows = Readonly<Record<string, readonly (number | null)[]>>;

export interface OverviewAnswer {
  readonly steps: StepSummary | null;
  readonly step_rows: StepRows | null;
  /** Numbers of the steps in `step_rows` that are outliers. */
  readonly outliers: readonly number[];
  /** The time that the profile spans, ns. */
  readonly covered: number;
  readonly shares: readonly { readonly category: string; readonly time: number; readonly share: number | null }[];
  readonly biggest: Readonly<Partial<Record<Side, TableAnswer>>>;
  readonly memory: Peak | null;
  readonly advice: readonly Advice[];
  readonly facts: readonly { readonly code: string; readonly value: Value }[];
}

export type Unit =
  | 'ns'
  | 'count'
  | 'share'
  | 'ratio'
  | 'percent'
  | 'number'
  | 'text'
  | 'flops'
  | 'bytes'
  | 'bytes_per_second';
export interface ColumnInfo {
  readonly name: string;
  readonly unit: Unit;
}
export type Cell = string | number | boolean | null;
export type Row = readonly Cell[];

/** Some rows of a table, or all. */
export interface TableAnswer {
  readonly columns: readonly ColumnInfo[];
  readonly rows: readonly Row[];
  /** Rows that match; all of them in `of`. */
  readonly total: number;
  readonly of: number;
  /** False: what it says is of a part of a profile. */
  readonly complete?: boolean;
}

export interface Sum {
  readonly rows: number;
  readonly calls: number | null;
  readonly total: number | null;
  readonly self: number | null;
  readonly share: number | null;
}

export interface OperatorsAnswer extends TableAnswer {
  readonly by: string;
  readonly side: Side;
  readonly sides: readonly Side[];
  /** Of all that match, and of those beyond the page. */
  readonly sum: Sum;
  readonly other: Sum;
}

export interface SliceInfo {
  readonly id: number;
  readonly track: number;
  readonly start: number;
  readonly duration: number;
  readonly step: number | null;
}

export interface OperatorAnswer {
  readonly row: Readonly<Record<string, Cell>>;
  readonly columns: readonly ColumnInfo[];
  readonly histogram: { readonly edges: readonly number[]; readonly counts: readonly number[] } | null;
  readonly by_step: {
    readonly number: readonly number[];
    readonly total: readonly number[];
    readonly calls: readonly number[];
  } | null;
  readonly members: TableAnswer | null;
  readonly slices: readonly SliceInfo[];
}

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
    readonly rows: readonly { readonly name: string; readonly bytes: number; readonly count: number }[];
  }[];
  readonly largest: readonly {
    readonly name: string;
    readonly device: string;
    readonly bytes: number;
    readonly start: number;
    readonly end: number | null;
  }[];
  readonly graphs: readonly PlannedGraph[];
}

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

export interface TensorInfo {
  readonly data_type: string;
  readonly shape: readonly number[] | null;
}
export interface StrategyOperator {
  readonly name: string;
  readonly type: string;
  readonly scope: string;
  readonly full_name: string;
  readonly instance: string;
  readonly inputs: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly outputs: readonly TensorInfo[];
}
export interface StrategyStage {
  readonly stage: number;
  readonly rank: number;
  readonly type: string;
  readonly devices: readonly number[];
  readonly operators: readonly StrategyOperator[];
}
export interface StrategyAnswer {
  readonly stages: readonly StrategyStage[];
  readonly parameters: readonly ({ readonly name: string } & TensorInfo)[];
}

export interface FlopsRates {
  readonly flops: number | null;
  readonly flops_per_second: number | null;
  /** Of what the device can. */
  readonly utilization: number | null;
}
export interface FlopsAnswer {
  readonly summary?: FlopsRates & { readonly cube?: FlopsRates; readonly vector?: FlopsRates };
  readonly nodes?: readonly string[];
  readonly links?: readonly { readonly source: string; readonly target: string; readonly flops: number | null }[];
}

export interface CompareAnswer extends TableAnswer {
  readonly sides: readonly Side[];
  readonly side: Side;
  /** Operators that only the one or only the other has. */
  readonly new: number;
  readonly gone: number;
  readonly steps: StepSummary | null;
  readonly base_steps: StepSummary | null;
}
