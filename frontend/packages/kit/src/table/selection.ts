/** The cells that are selected, and what keys make of them. */
import { clamp } from './layout';

export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** A rectangle of cells: `[row, rowEnd)` by `[column, columnEnd)`. */
export interface Area {
  readonly row: number;
  readonly rowEnd: number;
  readonly column: number;
  readonly columnEnd: number;
}

/** From the cell where the selection began to the cell that keys act on. */
export interface Selection {
  readonly anchor: Cell;
  readonly focus: Cell;
}

export const FIRST: Cell = { row: 0, column: 0 };

export function at(focus: Cell): Selection {
  return { anchor: focus, focus };
}

export function areaOf({ anchor, focus }: Selection): Area {
  return {
    row: Math.min(anchor.row, focus.row),
    rowEnd: Math.max(anchor.row, focus.row) + 1,
    column: Math.min(anchor.column, focus.column),
    columnEnd: Math.max(anchor.column, focus.column) + 1,
  };
}

export interface Extent {
  readonly rows: number;
  readonly columns: number;
}

export interface Press {
  readonly key: string;
  readonly shift: boolean;
  readonly ctrl: boolean;
}

/**
 * The selection after a key; null if the key does not move it. `page` is the number of rows in sight. Home and End go
 * to the ends of the row, of a table of whole rows (`lines`) to its first and last row.
 */
export function selectionAfter(
  selection: Selection | null,
  { key, shift, ctrl }: Press,
  { rows, columns }: Extent,
  page: number,
  lines = false,
): Selection | null {
  if (rows === 0 || columns === 0) return null;
  const last: Cell = { row: rows - 1, column: columns - 1 };
  if (ctrl && key.toLowerCase() === 'a') return { anchor: FIRST, focus: last };
  const { row, column } = selection?.focus ?? FIRST;
  const moves: Readonly<Record<string, Cell>> = {
    ArrowUp: { row: ctrl ? 0 : row - 1, column },
    ArrowDown: { row: ctrl ? last.row : row + 1, column },
    ArrowLeft: { row, column: ctrl ? 0 : column - 1 },
    ArrowRight: { row, column: ctrl ? last.column : column + 1 },
    PageUp: { row: row - page, column },
    PageDown: { row: row + page, column },
    Home: lines ? { row: 0, column } : { row: ctrl ? 0 : row, column: 0 },
    End: lines ? { row: last.row, column } : { row: ctrl ? last.row : row, column: last.column },
  };
  const to = moves[key];
  if (!to) return null;
  if (!selection) return at(FIRST);
  const focus = { row: clamp(to.row, last.row), column: clamp(to.column, last.column) };
  return { anchor: shift ? selection.anchor : focus, focus };
}
