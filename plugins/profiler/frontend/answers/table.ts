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

/** How a table is drawn and asked for, as the host declares it. */
export interface TableInfo {
  /** A message. */
  readonly label: string;
  /** Names in the order in which they stand first; others follow. */
  readonly columns: readonly string[];
  /** Shown only when they are chosen. */
  readonly hidden: readonly string[];
  readonly widths: Readonly<Record<string, number>>;
  /** By which it is sorted when nobody says; a minus for the largest first. */
  readonly sort: string;
  /** In which columns one may search. */
  readonly fields: readonly string[];
  readonly filters: readonly { readonly name: string; readonly words: string; readonly values: readonly string[] }[];
  /** Settings of the page that go into the question. */
  readonly asks: readonly string[];
  /** What begins its keys in the URL. */
  readonly address: string;
}
