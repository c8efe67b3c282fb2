/**
 * Answers about operators: all, one, and those of two profiles compared.
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
