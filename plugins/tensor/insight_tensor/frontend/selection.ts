/** The cells that are selected: from where it began to where it ends. */
import type { Area } from './blocks';

export interface Cell {
  readonly row: number;
  readonly column: number;
}
export interface Selection {
  readonly anchor: Cell;
  readonly focus: Cell;
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

/** What a key makes of the selection; null when it means nothing here. `page` is how many rows are in sight. */
export function selectionAfter(selection: Selection | null, { key, shift, ctrl }: Press, { rows, columns }: Extent, page: number): Selection | null {
  if (rows === 0 || columns === 0) return null;
  const last: Cell = { row: rows - 1, column: columns - 1 };
  if (ctrl && key.toLowerCase() === 'a') return { anchor: { row: 0, column: 0 }, focus: last };
  const { row, column } = selection?.focus ?? { row: 0, column: 0 };
  const moves: Readonly<Record<string, Cell>> = {
    ArrowUp: { row: ctrl ? 0 : row - 1, column },
    ArrowDown: { row: ctrl ? last.row : row + 1, column },
    ArrowLeft: { row, column: ctrl ? 0 : column - 1 },
    ArrowRight: { row, column: ctrl ? last.column : column + 1 },
    PageUp: { row: row - page, column },
    PageDown: { row: row + page, column },
    Home: { row: ctrl ? 0 : row, column: 0 },
    End: { row: ctrl ? last.row : row, column: last.column },
  };
  const to = moves[key];
  if (!to) return null;
  if (!selection) return { anchor: { row: 0, column: 0 }, focus: { row: 0, column: 0 } };
  const focus = { row: clamp(to.row, last.row), column: clamp(to.column, last.column) };
  return { anchor: shift ? selection.anchor : focus, focus };
}

export function clamp(place: number, last: number): number {
  return Math.max(0, Math.min(last, place));
}
