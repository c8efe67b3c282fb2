/** What a table shows, and what it reports. */
import type { ComponentChildren, CSSProperties } from 'preact';
import type { EvenColumns, Widths } from './layout';
import type { Area } from './selection';
import type { Sort, Value } from './sorting';

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
