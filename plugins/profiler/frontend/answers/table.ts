/** Answers that are tables: columns with their units, and rows. null: not known. */

export type Unit =
  | 'ns'
  | 'count'
  | 'share'
  | 'ratio'
  | 'percent'
  | 'number'
  | 'text'
  | 'flops'
  | 'rate'
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
