/** The order of runs by several keys: columns of the run table, and the selection. */
import { byName } from '@insight-host/kit';
import type { Cell, Run } from '@insight-host/api';
import type { SortKey } from '../state/filter';
import { cellOf } from './cells';
import type { ShownColumn } from './run_columns';

type Order = (runs: readonly Run[]) => readonly Run[];

/**
 * Sorts runs by these keys; null if none needs more than the page knows. Runs that are equal keep their order, those
 * without a value come last either way. `name` and `time`, the order that runs come in, end the list.
 */
export function orderOf(
  sort: readonly SortKey[],
  columns: ReadonlyMap<string, ShownColumn>,
  selected: ReadonlySet<string> | null,
): Order | null {
  const keys: ((runs: readonly Run[]) => Float64Array)[] = [];
  for (const key of sort) {
    if (key === 'name' || key === 'time') break;
    const column = columns.get(key.slice(1));
    if (key === 'selected' && selected)
      keys.push((runs) => Float64Array.from(runs, (run) => (selected.has(run.name) ? 0 : 1)));
    else if (column) keys.push((runs) => placesOf(runs, column, key.startsWith('-') ? -1 : 1));
  }
  if (keys.length === 0) return null;
  return (runs) => {
    const places = keys.map((key) => key(runs));
    const order = runs.map((_, at) => at);
    order.sort((a, b) => {
      for (const place of places) {
        const [left, right] = [place[a] as number, place[b] as number];
        if (left < right) return -1;
        if (left > right) return 1;
      }
      return a - b;
    });
    return order.map((at) => runs[at] as Run);
  };
}

/** Numbers that grow in the wanted order; infinite for runs without a value, or with NaN. */
function placesOf(runs: readonly Run[], column: ShownColumn, sign: number): Float64Array {
  const values = runs.map((run) => {
    const value = cellOf(column, run.name);
    const place = value === undefined ? undefined : (column.look?.order(value, run.name) ?? value);
    return column.kind === 'number' && typeof place === 'string' ? numberOf(place) : place;
  });
  const isMissing = (value: Cell | undefined): value is undefined => value === undefined || Number.isNaN(value);
  const given = values.filter((value): value is Cell => !isMissing(value));
  const ranked = given.every((value) => typeof value !== 'string')
    ? [...new Set(given.map(Number))].sort((a, b) => a - b)
    : [...new Set(given.map(String))].sort(byName);
  const rank = new Map<number | string, number>(ranked.map((value, at) => [value, at]));
  const isText = typeof ranked[0] === 'string';
  return Float64Array.from(values, (value) =>
    isMissing(value) ? Infinity : sign * (rank.get(isText ? String(value) : Number(value)) as number),
  );
}

/** Numbers that are not finite come as texts. */
function numberOf(text: string): number | string {
  return text === 'NaN' || !Number.isNaN(Number(text)) ? Number(text) : text;
}
