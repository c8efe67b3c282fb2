/** Columns of the run table as the host answers them: their names, and their values by run. */
import type { Cell, ColumnLook, Locale, RunColumn } from '@insight-host/api';
import type { Goal } from '@insight-host/kit/runs';
import { getJson } from '../data/http';

/** Names a column among those of all plugins. */
export const keyOf = ({ plugin, name }: Pick<RunColumn, 'plugin' | 'name'>): string => `${plugin}/${name}`;

/** A column as the host describes it; with `values` one for each of the runs of the answer. */
interface Described extends Omit<RunColumn, 'values'> {
  readonly titles: Readonly<Partial<Record<Locale, string>>>;
  /** False: the table has it only if the user chooses it. */
  readonly at_first?: boolean;
  /** Of columns that the table has at first, those of a small order come first; 0 if left out. */
  readonly order?: number;
  /** Whether small or large values are better. */
  readonly goal?: Goal;
  readonly values?: readonly (Cell | null)[];
}

interface HostAnswer {
  readonly runs?: readonly string[];
  readonly columns: readonly Described[];
  readonly column_errors: readonly { readonly plugin: string; readonly error: string }[];
}

/** A column with the cells of an answer. */
export interface Known extends Omit<Described, 'values'> {
  readonly cells: readonly (Cell | null)[];
  /** The place of each run in `cells`. */
  readonly places: ReadonlyMap<string, number>;
}

export interface ColumnAnswer {
  readonly columns: readonly Known[];
  readonly errors: HostAnswer['column_errors'];
}

/** All columns without cells, or these with the cells of all runs. */
export async function askedColumns(keys: readonly string[], signal?: AbortSignal): Promise<ColumnAnswer> {
  const { runs = [], columns, column_errors } = await getJson<HostAnswer>('data/run_columns', { column: keys }, signal);
  const places = new Map(runs.map((run, at) => [run, at]));
  return {
    columns: columns.map(({ values = [], ...column }) => ({ ...column, cells: values, places })),
    errors: column_errors,
  };
}

/** A look whose functions return null when they fail. */
export interface GuardedLook {
  readonly title: string | undefined;
  readonly cell: (...of: Parameters<NonNullable<ColumnLook['cell']>>) => string | HTMLElement | SVGElement | null;
  readonly order: (...of: Parameters<NonNullable<ColumnLook['order']>>) => number | string | null;
}

export interface ShownColumn extends Known, RunColumn {
  readonly key: string;
  readonly look: GuardedLook | null;
}

/** The column as plugins see it: its values by run are made when one asks for them. */
export function withValues(column: Known): Known & RunColumn {
  let made: Record<string, Cell> | null = null;
  return {
    ...column,
    get values() {
      if (made) return made;
      made = {};
      for (const [run, at] of column.places) {
        const cell = column.cells[at] ?? null;
        if (cell !== null) Object.defineProperty(made, run, { value: cell, enumerable: true }); // also for "__proto__"
      }
      return made;
    },
  };
}

/** The value of a run. */
export const cellOf = ({ cells, places }: Pick<Known, 'cells' | 'places'>, run: string): Cell | undefined =>
  cells[places.get(run) ?? -1] ?? undefined;
