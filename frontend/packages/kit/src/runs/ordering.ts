/** In which order and in which groups the rows of a table of runs stand. */
import { sortOf } from '@insight-host/kit/table';
import type { Column, Frame } from './frame';
import { sectionOf } from './sections';

/**
 * All rows in the order of these columns, `-name` downwards; equal ones stay as they are. What is missing, and NaN, is
 * last either way.
 */
export function orderOf(frame: Frame, sorts: readonly string[]): Int32Array {
  const keys: SortKey[] = [];
  for (const sort of sorts) {
    const { key: name, down } = sortOf(sort);
    const column = frame.columns.get(name);
    if (column) keys.push({ key: keyOf(column), sign: down ? -1 : 1 });
  }
  return orderBy(frame.rows, keys);
}

export interface SortKey {
  /** By row; NaN without a value. */
  readonly key: ArrayLike<number>;
  /** 1, or -1 for downwards. */
  readonly sign: number;
}

/** `count` rows in the order of numbers. */
export function orderBy(count: number, keys: readonly SortKey[]): Int32Array {
  const rows = new Int32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
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

/** Whether a press on the head of a column puts the largest first: what is best comes first, causes begin small. */
export function startsDown(column: Column): boolean {
  if (column.goal !== null) return column.goal === 'max';
  return column.isNumeric && sectionOf(column) !== 'hyperparameter';
}

/** Numbers that sort as the values of a column do. */
export function keyOf(column: Column): ArrayLike<number> {
  if (column.isNumeric) return column.numbers;
  return Float64Array.from(column.codes, (code, row) => (column.isMissing(row) ? NaN : code));
}

/** A group that a row is in. */
export interface GroupStep {
  /** Unique in the group around it. */
  readonly id: string;
  readonly title: string;
  /** Sorts the groups; by default they come where their first row comes. */
  readonly rank?: number;
}

export interface RowGroup {
  readonly kind: 'group';
  /** Unique among the groups: those around it, joined by slashes. */
  readonly id: string;
  readonly title: string;
  /** Depth, from 1. */
  readonly level: number;
  /** Of this group and those in it, in the order of the table. */
  readonly rows: Int32Array;
  readonly open: boolean;
}

export interface RowLine {
  readonly kind: 'row';
  readonly row: number;
  /** Depth, from 1. */
  readonly level: number;
}

/** A line of the table. */
export type RunLine = RowGroup | RowLine;

/** By the values of columns: from the outermost group to the innermost; runs without a value are last. */
export function stepsOf(
  columns: readonly Column[],
  titleOf: (column: Column, text: string | null) => string,
  downwards: readonly string[] = [],
): (row: number) => readonly GroupStep[] {
  return (row) =>
    columns.map((column) => {
      const sign = downwards.includes(column.name) ? -1 : 1;
      const code = column.codes[row] as number;
      if (column.isMissing(row)) return { id: column.name, title: titleOf(column, null), rank: Infinity };
      const value = column.values[row];
      const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return { id: `${column.name}=${plain}`, title: titleOf(column, column.text(row)), rank: sign * code };
    });
}

interface Tree {
  readonly id: string;
  readonly step: GroupStep;
  readonly level: number;
  readonly rows: number[];
  readonly parts: (Tree | number)[];
  readonly groups: Map<string, Tree>;
}

/** The lines of these rows; those of a folded group are left out. Without `path` rows have no groups. */
export function linesOf(
  rows: Int32Array,
  path: ((row: number) => readonly GroupStep[]) | null,
  folded: ReadonlySet<string>,
): RunLines {
  if (!path) return { count: rows.length, at: (place) => rowLine(rows[place], 1), groups: [] };
  const tree = (id: string, step: GroupStep, level: number): Tree => ({
    id,
    step,
    level,
    rows: [],
    parts: [],
    groups: new Map(),
  });
  const root = tree('', { id: '', title: '' }, 0);
  for (const row of rows) {
    let at = root;
    for (const step of path(row)) {
      let next = at.groups.get(step.id);
      if (!next) {
        next = tree(`${at.id}/${step.id}`, step, at.level + 1);
        at.groups.set(step.id, next);
        at.parts.push(next);
      }
      next.rows.push(row);
      at = next;
    }
    at.parts.push(row);
  }
  const lines: RunLine[] = [];
  const groups: RowGroup[] = [];
  const rank = (part: Tree | number): number => (typeof part === 'number' ? 0 : (part.step.rank ?? 0));
  const add = (group: Tree): void => {
    for (const part of [...group.parts].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))) {
      if (typeof part === 'number') {
        lines.push({ kind: 'row', row: part, level: group.level + 1 });
        continue;
      }
      const open = !folded.has(part.id);
      const line: RowGroup = {
        kind: 'group',
        id: part.id,
        title: part.step.title,
        level: part.level,
        rows: Int32Array.from(part.rows),
        open,
      };
      groups.push(line);
      lines.push(line);
      if (open) add(part);
    }
  };
  add(root);
  return { count: lines.length, at: (place) => lines[place] ?? null, groups };
}

const rowLine = (row: number | undefined, level: number): RowLine | null =>
  row === undefined ? null : { kind: 'row', row, level };

/** The lines of a table, and the headings among them. */
export interface RunLines {
  readonly count: number;
  at(place: number): RunLine | null;
  readonly groups: readonly RowGroup[];
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
