/** A column of the host as a column of the table in memory, and the order of runs by several of these. */
import type { Cell, Run, RunColumn } from '@insight-host/api';
import {
  Column,
  type ColumnLook,
  type ColumnType,
  type Frame,
  keyOf,
  orderBy,
  type SortKey as RowKey,
  type Value,
} from '@insight-host/kit/runs';
import type { SortKey } from '../state/selection';
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

type Order = (runs: readonly Run[]) => readonly Run[];

/**
 * Sorts runs by these keys; null if none needs more than the page knows. Runs that are equal keep their order, those
 * without a value come last either way. `name` and `time`, the order that runs come in, end the list.
 */
export function orderOf(sort: readonly SortKey[], frame: Frame, selected: ReadonlySet<string> | null): Order | null {
  const keys: ((runs: readonly Run[]) => RowKey)[] = [];
  for (const key of sort) {
    if (key === 'name' || key === 'time') break;
    const column = frame.columns.get(key.slice(1));
    if (key === 'selected' && selected)
      keys.push((runs) => ({ key: Float64Array.from(runs, (run) => (selected.has(run.name) ? 0 : 1)), sign: 1 }));
    else if (column) {
      const places = keyOf(column);
      keys.push((runs) => ({
        key: Float64Array.from(runs, (run) => places[frame.rowOf.get(run.name) ?? -1] ?? NaN),
        sign: key.startsWith('-') ? -1 : 1,
      }));
    }
  }
  if (keys.length === 0) return null;
  return (runs) =>
    Array.from(
      orderBy(
        runs.length,
        keys.map((key) => key(runs)),
      ),
      (at) => runs[at] as Run,
    );
}
