/** Names of columns of the run table, and their values by run. */
import type { Cell, RunColumn } from '@insight-host/api';

/** Names a column among those of all plugins. */
export const keyOf = ({ plugin, name }: Pick<RunColumn, 'plugin' | 'name'>): string => `${plugin}/${name}`;

interface Cells {
  readonly cells: readonly (Cell | null)[];
  readonly places: ReadonlyMap<string, number>;
}

/** The value of a run. */
export const cellOf = ({ cells, places }: Cells, run: string): Cell | undefined =>
  cells[places.get(run) ?? -1] ?? undefined;
