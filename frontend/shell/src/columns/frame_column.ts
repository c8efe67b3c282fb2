/** A column of the host as a column of the table in memory. */
import type { Cell, RunColumn } from '@insight-host/api';
import { Column, type ColumnLook, type ColumnType, type Value } from '@insight-host/kit/runs';
import type { ColumnValues } from '../state/late';
import type { ShownColumn } from './cells';

const TYPES: Readonly<Record<RunColumn['kind'], ColumnType>> = {
  number: 'float',
  text: 'str',
  boolean: 'bool',
  time: 'float',
  duration: 'float',
};

type Texts = Pick<ColumnValues, 'text' | 'textOf'>;

/** By row, of these runs. Places to write are columns without a group of their own. */
export function frameColumn(columns: Texts, column: ShownColumn, runs: readonly string[]): Column {
  const values = valuesOf(column, runs);
  const isWritten = column.plugin === 'run' && ['note', 'remark', 'mark'].includes(column.name);
  return new Column(
    {
      name: column.key,
      title: column.title,
      group: isWritten ? 'annotation' : column.plugin === 'run' ? 'run' : column.group,
      type: TYPES[column.kind],
      count: values.length - values.filter((value) => value === null).length,
      goal: column.goal ?? null,
    },
    values,
    lookOf(columns, column, runs),
  );
}

interface Places {
  readonly runs: readonly string[];
  /** Of the cells, by row; null: as the rows. */
  readonly at: Int32Array | null;
}
const known = new WeakMap<ReadonlyMap<string, number>, Places>();

/** Where the cells of these runs are; found once for all columns of an answer. */
function placesOf(places: ReadonlyMap<string, number>, runs: readonly string[]): Places {
  const before = known.get(places);
  if (before?.runs === runs) return before;
  const at = Int32Array.from(runs, (run) => places.get(run) ?? -1);
  const found = { runs, at: at.every((place, row) => place === row) ? null : at };
  known.set(places, found);
  return found;
}

function valuesOf({ cells, places }: ShownColumn, runs: readonly string[]): readonly (Cell | null)[] {
  const { at } = placesOf(places, runs);
  if (!at) return cells.length === runs.length ? cells : runs.map((_, row) => cells[row] ?? null);
  const values: (Cell | null)[] = [];
  for (const place of at) values.push(cells[place] ?? null);
  return values;
}

function lookOf(columns: Texts, column: ShownColumn, runs: readonly string[]): ColumnLook | undefined {
  const { look, kind } = column;
  if (!look && kind !== 'time' && kind !== 'duration') return undefined;
  const isCell = (value: Value): value is string | number | boolean => value !== null && typeof value !== 'object';
  return {
    text(value, row) {
      if (!isCell(value)) return '';
      return row < 0 ? columns.text(column, value) : columns.textOf(column, runs[row] as string, value);
    },
    ...(look
      ? { order: (value, row) => (isCell(value) ? (look.order(value, runs[row] as string) ?? value) : null) }
      : {}),
  };
}
