/** Names of columns of the run table, and their values by run. */
import type { Cell, RunColumn } from '@insight-host/api';

/** Names a column among those of all plugins. */
export const keyOf = ({ plugin, name }: Pick<RunColumn, 'plugin' | 'name'>): string => `${plugin}/${name}`;

/** The value of a run, which may be called "constructor". */
export const cellOf = ({ values }: RunColumn, run: string): Cell | undefined =>
  Object.hasOwn(values, run) ? values[run] : undefined;
