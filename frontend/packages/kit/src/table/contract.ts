/** What a table shows, in which order, and what it reports. */
import { byName } from '@insight-host/kit/lab';
import type { ComponentChildren, CSSProperties } from 'preact';
import type { EvenColumns, Widths } from './layout';
import type { Area } from './selection';

/** The exact value of a cell: what is sorted, copied and exported. */
export type Value = string | number | bigint | boolean | null;

export interface Sort {
  readonly key: string;
  readonly down: boolean;
}

/** A column, descending with `-` before its name: as it stands in URLs. */
export function sortOf(text: string): Sort {
  return text.startsWith('-') ? { key: text.slice(1), down: true } : { key: text, down: false };
}

export function sortText({ key, down }: Sort): string {
  return down ? `-${key}` : key;
}

/**
 * After a press on a head: this column, the other way round if it was the order already; where it `ends`, the third
 * press takes it away. `more` keeps the columns before it.
 */
export function turned(
  sorts: readonly Sort[],
  key: string,
  more: boolean,
  downFirst: boolean,
  ends = false,
): readonly Sort[] {
  const now = sorts.find((sort) => sort.key === key);
  const next = ends && now && now.down !== downFirst ? [] : [{ key, down: now ? !now.down : downFirst }];
  if (!more) return next;
  return now ? sorts.flatMap((sort) => (sort === now ? next : sort)) : [...sorts, ...next];
}

const isMissing = (value: Value): value is null => value === null || Number.isNaN(value);

/** Numbers by size, texts in natural order; null and NaN last in either direction. */
export function compared(a: Value, b: Value, down: boolean): number {
  if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
  const order =
    typeof a === 'string' || typeof b === 'string' ? byName(String(a), String(b)) : Number(a > b) - Number(a < b);
  return down ? -order : order;
}

/** The rows in this order; rows that are equal keep theirs. */
export function ordered<R>(
  rows: readonly R[],
  sorts: readonly Sort[],
  valueOf: (row: R, key: string) => Value,
): readonly R[] {
  if (sorts.length === 0) return rows;
  return [...rows].sort((a, b) => {
    for (const { key, down } of sorts) {
      const order = compared(valueOf(a, key), valueOf(b, key), down);
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** Rows by their place; `null` is a row that is not loaded yet. */
export interface Rows<R> {
  readonly count: number;
  at(row: number): R | null;
  /** Called with what is in sight. */
  look?(area: Area): void;
}

/** Rows that are all here. */
export function rowsOf<R>(rows: readonly R[]): Rows<R> {
  return { count: rows.length, at: (row) => rows[row] ?? null };
}

/** How one cell looks. */
export interface CellLook {
  readonly content: ComponentChildren;
  readonly title?: string | undefined;
  readonly class?: string | undefined;
  readonly style?: CSSProperties | undefined;
}

export interface Column<R> {
  readonly key: string;
  readonly title: string;
  /** In the head after the title, smaller. */
  readonly small?: string;
  /** Over the heads of columns that stand side by side and have the same one. */
  readonly band?: string;
  /** Tooltip of the head. */
  readonly hint?: string;
  readonly kind: 'text' | 'number';
  /** In CSS pixels, until the user drags the edge of the head. */
  readonly width: number;
  /** Takes the room that the other columns leave. */
  readonly grows?: boolean;
  /** False: a press on the head does not sort. */
  readonly sorts?: boolean;
  /** In the head, before the title. */
  readonly tool?: ComponentChildren;
  /** null: the value is not loaded yet. */
  cell(row: R): CellLook | null;
  /** The exact value, for copies and CSV. */
  value?(row: R): Value;
}

/** How one row looks. */
export interface LineLook {
  readonly class?: string;
  readonly selected?: boolean;
  /** Of the heading of a group: whether its rows are shown. */
  readonly expanded?: boolean;
  /** Depth in a tree, from 1. */
  readonly level?: number;
  readonly title?: string;
  /** `data-*` attributes. */
  readonly data?: Readonly<Record<string, string | number>>;
}

export interface Sorting {
  readonly by: readonly Sort[];
  /** A press on the head of a column; `more`: with Shift, to sort by several. */
  turn(key: string, more: boolean): void;
  readonly hint?: string;
}

export interface TableProps<R> {
  /** `data-testid` of the table. */
  readonly name: string;
  readonly label: string;
  readonly class?: string;
  readonly rows: Rows<R>;
  /** Columns that stay at the left. */
  readonly frozen?: readonly Column<R>[];
  readonly columns: readonly Column<R>[] | EvenColumns<Column<R>>;
  /** In CSS pixels. */
  readonly rowHeight: number;
  /** False: no heads. */
  readonly heads?: boolean;
  /** Of a row, the same while the row is the same; by default its place. */
  readonly idOf?: (row: R) => string | number;
  readonly line?: (row: R, place: number) => LineLook;
  readonly sort?: Sorting;
  /** Widths that the user has set; kept by the table if not given. */
  readonly widths?: { value: Widths };
  /** Rows are a tree, or have headings. */
  readonly tree?: boolean;
  /** Given: cells are selected, and this copies them. Otherwise keys act on whole rows. */
  readonly onCopyCells?: (area: Area) => void;
  /** Given: Ctrl+C copies the rows that are marked, as a head and exact values. `all`: how many rows are marked. */
  readonly onCopyRows?: (table: readonly (readonly Value[])[], all: number) => void;
  /** A click on a row, or Enter. */
  readonly onOpen?: (row: R) => void;
  /** A click on a column that stays, or Space; of a heading it opens and closes the group. `range`: with Shift. */
  readonly onPick?: (row: R, range: boolean) => void;
  /** Given: heads can be dragged, and Alt, Shift and arrows move a column that scrolls to this place among them. */
  readonly onMove?: (key: string, to: number) => void;
  /** Given: Delete hides a column that scrolls. */
  readonly onHide?: (key: string) => void;
  /** The row under the pointer, or that keys act on. */
  readonly onPoint?: (row: R | null) => void;
  /** Identifies what is shown: when it changes, the table begins at its first row. */
  readonly question?: string;
  readonly busy?: boolean;
}
