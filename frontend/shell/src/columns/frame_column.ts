/** A column of the host as a column of the table in memory. */
import type { RunColumn } from '@insight-host/api';
import { Column, type ColumnLook, type ColumnType, type Value } from '@insight-host/kit/runs';
import type { RunColumns, ShownColumn } from './run_columns';

const TYPES: Readonly<Record<RunColumn['kind'], ColumnType>> = {
  number: 'float',
  text: 'str',
  boolean: 'bool',
  time: 'float',
  duration: 'float',
};

/** By row, of these runs. Places to write are columns without a group of their own. */
export function frameColumn(columns: RunColumns, column: ShownColumn, runs: readonly string[]): Column {
  const { cells } = column;
  const values = Array.from(placesOf(column.places, runs), (place) => cells[place] ?? null);
  const isWritten = column.plugin === 'run' && ['note', 'remark', 'mark'].includes(column.name);
  return new Column(
    {
      name: column.key,
      title: column.title,
      group: isWritten ? 'annotation' : column.plugin === 'run' ? 'run' : column.group,
      type: TYPES[column.kind],
      count: values.reduce<number>((count, value) => count + Number(value !== null), 0),
      goal: column.goal ?? null,
    },
    values,
    lookOf(columns, column, runs),
  );
}

const known = new WeakMap<ReadonlyMap<string, number>, { readonly runs: readonly string[]; readonly at: Int32Array }>();

/** Where the cells of these runs are; found once for all columns of an answer. */
function placesOf(places: ReadonlyMap<string, number>, runs: readonly string[]): Int32Array {
  const before = known.get(places);
  if (before?.runs === runs) return before.at;
  const at = Int32Array.from(runs, (run) => places.get(run) ?? -1);
  known.set(places, { runs, at });
  return at;
}

function lookOf(columns: RunColumns, column: ShownColumn, runs: readonly string[]): ColumnLook | undefined {
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
