/** Which rows are shown, and in which order. */
import { sortOf } from '@insight-host/kit/table';
import type { Column, Frame } from './frame';

/**
 * All rows in the order of these columns; equal ones stay as they are. What is missing, and NaN, is last either way.
 */
export function orderOf(frame: Frame, sorts: readonly string[]): Int32Array {
  const keys: { readonly key: ArrayLike<number>; readonly sign: number }[] = [];
  for (const sort of sorts) {
    const { key: name, down } = sortOf(sort);
    const column = frame.columns.get(name);
    if (column) keys.push({ key: keyOf(column), sign: down ? -1 : 1 });
  }
  const rows = Int32Array.from({ length: frame.rows }, (_, row) => row);
  if (keys.length === 0) return rows;
  return rows.sort((a, b) => {
    for (const { key, sign } of keys) {
      const [left, right] = [key[a] as number, key[b] as number];
      if (left === right) continue;
      if (Number.isNaN(left)) {
        if (Number.isNaN(right)) continue;
        return 1;
      }
      if (Number.isNaN(right)) return -1;
      return left < right ? -sign : sign;
    }
    return a - b;
  });
}

function keyOf(column: Column): ArrayLike<number> {
  if (column.isNumeric) return column.numbers;
  return Float64Array.from(column.codes, (code, row) => (column.isMissing(row) ? NaN : code));
}

export interface RowGroup {
  /** As people read it; null for runs without a value. */
  readonly text: string | null;
  /** Its text among all, for keys. */
  readonly key: string;
  readonly rows: Int32Array;
}

/** Rows that have the same value in a column, in the order in which their values come; the rows keep theirs. */
export function groupsOf(column: Column, rows: Int32Array, down: boolean): readonly RowGroup[] {
  const members = new Map<number, number[]>();
  for (const row of rows) {
    const code = column.codes[row] as number;
    const group = members.get(code);
    if (group) group.push(row);
    else members.set(code, [row]);
  }
  const isMissing = (rows: readonly number[]): boolean => column.isMissing(rows[0] as number);
  return [...members]
    .sort(([a, first], [b, second]) => Number(isMissing(first)) - Number(isMissing(second)) || (down ? b - a : a - b))
    .map(([code, own]) => ({
      text: isMissing(own) ? null : column.text(own[0] as number),
      key: column.texts[code] as string,
      rows: Int32Array.from(own),
    }));
}

/** Lines of the table: a row, or the heading of group `g` as `-(g + 1)`. */
export function linesOf(groups: readonly RowGroup[] | null, rows: Int32Array, closed: ReadonlySet<string>): Int32Array {
  if (!groups) return rows;
  const lines: number[] = [];
  groups.forEach((group, place) => {
    lines.push(-(place + 1));
    if (!closed.has(group.key)) for (const row of group.rows) lines.push(row);
  });
  return Int32Array.from(lines);
}

export interface Summary {
  readonly count: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Of the finite numbers of these rows; null without any. */
export function summaryOf(column: Column, rows: Int32Array): Summary | null {
  const { numbers } = column;
  let [count, sum, low, high] = [0, 0, Infinity, -Infinity];
  for (const row of rows) {
    const value = numbers[row] as number;
    if (!Number.isFinite(value)) continue;
    count++;
    sum += value;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return count > 0 ? { count, mean: sum / count, low, high } : null;
}
