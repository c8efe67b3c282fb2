/**
 * Answers about operators: all, one, those of two profiles compared, and their FLOPs.
 * Times are in ns from the beginning of the profile; null: not known.
 */
import type { Compared } from './comparison';
import type { Cell, ColumnInfo, TableAnswer } from './table';

export type Side = 'host' | 'device';

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
  /** Numbers of the steps that medians and averages leave out. */
  readonly warm_up: readonly number[];
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

export interface CompareAnswer extends TableAnswer, Compared {
  readonly sides: readonly Side[];
  readonly side: Side;
  /** Operators that only the one or only the other has. */
  readonly new: number;
  readonly gone: number;
}

/** The answer about floating-point operations. null: not known. */

export interface FlopsRates {
  readonly flops: number | null;
  readonly flops_per_second: number | null;
  /** Of what the device can. */
  readonly utilization: number | null;
  /** More than the device can (above 1): no share of it. */
  readonly above?: number | null;
}

/** An operator or a module: operations and time (ns) of all its calls. */
export interface FlopsRow {
  readonly name: string;
  readonly flops: number;
  readonly time: number;
  readonly calls: number;
  /** FLOP/s. */
  readonly rate: number | null;
  /** Share of the peak of the device for products of `precision`. */
  readonly peak: number | null;
  /** A share above 1, which cannot be right: `peak` is null. */
  readonly above: number | null;
  /** The type that is multiplied: `float32`, `half` … */
  readonly precision: string | null;
}

export interface FlopsAnswer {
  readonly operators: readonly FlopsRow[];
  readonly modules: readonly FlopsRow[];
  /** Whose peak is known. */
  readonly device: string | null;
  readonly summary?: FlopsRates & { readonly cube?: FlopsRates; readonly vector?: FlopsRates };
  readonly nodes?: readonly string[];
  readonly links?: readonly { readonly source: string; readonly target: string; readonly flops: number | null }[];
}
