/** The order of runs by several keys: columns of the run table, and the selection. */
import type { Run } from '@insight-host/api';
import { keyOf, orderBy, type Frame, type SortKey as RowKey } from '@insight-host/kit/runs';
import type { SortKey } from '../state/filter';

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
