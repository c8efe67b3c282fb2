/** Columns of the tab that the host has: under which names, and how they read. */
import type { Run } from '@insight-host/api';
import type { Page } from '@insight-host/kit';
import { Column, secondsLook, statusLook, type ColumnInfo, type ColumnLook, type Frame } from '@insight-host/kit/runs';

/** Their keys in the run table, by name here; keys of the other columns begin with the plugin's name. */
export const OF_HOST: Readonly<Record<string, string>> = {
  run: 'run/name',
  'run/status': 'run/status',
  start_time: 'run/started',
  'run/duration': 'run/duration',
  display_name: 'run/display_name',
  note: 'run/note',
  remark: 'run/remark',
  mark: 'run/mark',
};
export const STATUS = 'run/status';
const OF_SESSION = 'status'; // what logs say of the end of a run: the host's status has it

/** Whether a user may choose a column for the table; of two that say the same, the host's. */
export function isOffered({ name, count, group }: ColumnInfo): boolean {
  return name !== 'run' && name !== OF_SESSION && (count > 0 || group === 'annotation');
}

/** In the user's language; undefined: as the logs call it. */
export function titleOf(page: Page, { name }: Pick<ColumnInfo, 'name'>): string | undefined {
  return name in OF_HOST ? page.t(`column.${name}`) : undefined;
}

/** What the host knows of runs, in words; it is in the frame as numbers and keys. */
export function inWords(page: Page, frame: Frame): readonly Column[] {
  const locale = page.locale.value;
  const looks: Readonly<Record<string, ColumnLook>> = {
    [STATUS]: statusLook(page.t),
    start_time: secondsLook('time', locale),
    'run/duration': secondsLook('duration', locale),
  };
  return Object.entries(looks).flatMap(([name, look]) => {
    const column = frame.columns.get(name);
    return column ? new Column({ ...column, title: page.t(`column.${name}`) }, column.values, look) : [];
  });
}

/** What users wrote down: the page knows it first. */
export function annotationColumns(page: Page, names: readonly string[]): readonly Column[] {
  const runs = names.map((name) => page.runsByName.value.get(name));
  const column = (name: string, type: 'str' | 'int', of: (run: Run) => string | number): Column => {
    const values = runs.map((run) => (run && of(run)) || null);
    return new Column(
      {
        name,
        title: page.t(`column.${name}`),
        group: 'annotation',
        type,
        count: values.filter((value) => value !== null).length,
      },
      values,
    );
  };
  return [
    column('display_name', 'str', (run) => (run.displayName === run.name ? '' : run.displayName)),
    column('note', 'str', (run) => run.note),
    column('remark', 'str', (run) => run.remark),
    column('mark', 'int', (run) => run.mark),
  ];
}
