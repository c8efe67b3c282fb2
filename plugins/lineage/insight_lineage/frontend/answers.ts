/** What the routes of the plugin answer; docs/http_api.md says what it means. */

import type { Reason } from '@insight-host/api';

export type Value = string | number | boolean | null | readonly Value[];
export type Group =
  | 'run'
  | 'hyperparameter'
  | 'dataset'
  | 'model'
  | 'metric'
  | 'custom'
  | 'pipeline'
  | 'annotation'
  | 'scalar';
export type ColumnType = 'int' | 'float' | 'bool' | 'str' | 'list' | 'mixed';

export interface ColumnInfo {
  readonly name: string;
  /** The name without its group. */
  readonly title: string;
  readonly group: Group;
  readonly type: ColumnType;
  /** Runs with a value. */
  readonly count: number;
}

export interface Problem extends Reason {
  readonly run: string;
  readonly tag: string;
}

export interface ColumnsAnswer {
  readonly runs: number;
  /** Runs that are merged into the row of another. */
  readonly joined: number;
  readonly columns: readonly ColumnInfo[];
  readonly problems: readonly Problem[];
}

export interface RunsAnswer {
  readonly total: number;
  readonly matched: number;
  readonly columns: readonly ColumnInfo[];
  /** One list for each column, in the order of `runs`. */
  readonly values: readonly (readonly Value[])[];
  readonly runs: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly title: string;
  readonly group: Group;
  readonly count: number;
  readonly pearson: number | null;
  readonly spearman: number | null;
  readonly reason: 'not_numeric' | 'too_few' | 'constant' | 'target_constant' | null;
}

export interface ImportanceAnswer {
  readonly target: string;
  readonly matched: number;
  readonly parameters: readonly Parameter[];
}

export interface PipelineValues {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
}

export interface PipelineNode extends PipelineValues {
  readonly id: string;
  readonly type: string;
  readonly kind: 'source' | 'operation';
  readonly operations: readonly PipelineValues[];
  readonly sampler: PipelineValues | null;
}

export interface PipelineAnswer {
  readonly run: string;
  readonly mark: number | null;
  /** From the sources to the end. */
  readonly pipeline: {
    readonly nodes: readonly PipelineNode[];
    readonly edges: readonly { readonly from: string; readonly to: string }[];
  } | null;
}
