/** What the routes of the plugin answer; docs/http_api.md says what it means. */

import type { Reason } from '@insight-host/api';
import type { ColumnInfo, Goal, Value } from '@insight-host/kit/runs';

interface Problem extends Reason {
  readonly run: string;
  readonly tag: string;
}

export interface ColumnsAnswer {
  readonly runs: number;
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

/** A share of the variance of the target, with its standard error and the ends of an interval. */
export interface Share {
  readonly share: number;
  readonly error: number;
  readonly low: number;
  readonly high: number;
}

/** A step of a marginal curve: a text, numbers from one to another, or neither: runs without a value. */
export interface CurvePoint {
  readonly text: string | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly count: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The values with the best results. */
export type Best = { readonly texts: readonly string[] } | { readonly from: number; readonly to: number };

export interface Parameter {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  /** Runs with a value, of those with a target. */
  readonly count: number;
  readonly reason: 'constant' | 'unique' | 'follows' | null;
  /** With interactions; null where it is not known. */
  readonly importance: Share | null;
  /** Without interactions. */
  readonly alone: Share | null;
  /** The importance is above 0 beyond chance. */
  readonly sure: boolean;
  /** Other parameters matter for what it does: its share is too small. */
  readonly together: boolean;
  /** The interval holds the true share in 95 % of experiments. */
  readonly calibrated: boolean;
  /** Parameters that are correlated with it in these runs, the strongest first. */
  readonly related: readonly { readonly name: string; readonly r: number }[];
  readonly curve: readonly CurvePoint[];
  /** Null where it is not known, or depends on other parameters. */
  readonly best: Best | null;
  /** The parameter that it always changes together with. */
  readonly follows: string | null;
  readonly correlation: {
    readonly count: number;
    readonly pearson: number | null;
    readonly spearman: number | null;
    readonly reason: 'not_numeric' | 'too_few' | 'constant' | 'target_constant' | null;
  };
}

export interface ImportanceAnswer {
  readonly target: string;
  readonly matched: number;
  readonly goal: Goal | null;
  /** Runs with a finite target. */
  readonly used: number;
  /** Runs that importance needs. */
  readonly fewest: number;
  /** Why importance is missing. */
  readonly reason: 'too_few' | 'target_constant' | 'no_parameters' | null;
  readonly explained: Share | null;
  readonly sure: boolean;
  readonly clipped: number;
  readonly log: boolean;
  readonly parameters: readonly Parameter[];
  readonly interactions: readonly Interaction[];
}

/** What two parameters explain together beyond each of them, and which values are best together. */
export interface Interaction extends Share {
  readonly parameters: readonly [string, string];
  readonly best: readonly [Best | null, Best | null];
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
