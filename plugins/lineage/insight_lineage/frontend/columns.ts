/** How wide columns of the table are, and which of them are in sight. */
import type { Column } from './frame';

export const ROW_HEIGHT = 30;
export const RUN_WIDTH = 230;
const LETTER = 8.4;
const LOOKED_AT = 60; // values whose text counts

export interface Placed {
  readonly column: Column;
  readonly left: number;
  readonly width: number;
}

const known = new WeakMap<Column, number>();

export function widthOf(column: Column): number {
  const found = known.get(column);
  if (found !== undefined) return found;
  if (column.name === 'mark') return 68;
  if (column.name === 'remark' || column.name === 'note') return 170;
  let letters = 4;
  for (let row = 0, looked = 0; row < column.values.length && looked < LOOKED_AT; row++) {
    if (column.isMissing(row)) continue;
    letters = Math.max(letters, Math.min(26, column.text(row).length));
    looked++;
  }
  const width = Math.round(Math.max(78, Math.min(200, Math.max(letters * LETTER + 24, column.title.length * 7.4 + 34))));
  known.set(column, width);
  return width;
}

export function placed(columns: readonly Column[]): readonly Placed[] {
  let left = 0;
  return columns.map((column) => {
    const width = widthOf(column);
    left += width;
    return { column, left: left - width, width };
  });
}

/** Those that are between two pixels. */
export function between(all: readonly Placed[], from: number, to: number): readonly Placed[] {
  return all.filter(({ left, width }) => left < to && left + width > from);
}
