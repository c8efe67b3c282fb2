/** Columns of the tab that the host has: under which names, how they read, and what people write down in them. */
import type { Annotation, Run } from '@insight-host/api';
import { message, type Page } from '@insight-host/kit';
import { Column, secondsLook, statusLook, type ColumnInfo, type ColumnLook, type Frame } from '@insight-host/kit/runs';
import { signal, type ReadonlySignal as Live } from '@preact/signals';

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

/** What people write down of runs: the host keeps it, and what it refused stays here. */
export class Annotations {
  /** False while the host takes no annotations. */
  readonly writable: Live<boolean>;
  /** By run, what was refused, so that nobody types it again. */
  readonly unwritten = signal<ReadonlyMap<string, Partial<Annotation>>>(new Map());

  constructor(private readonly page: Page) {
    this.writable = page.follow(page.ctx.runs.annotatable);
  }

  write(run: string, fields: Partial<Annotation>): void {
    const { ctx, t } = this.page;
    this.forget(run, fields);
    ctx.runs.annotate(run, fields).catch((error: unknown) => {
      this.unwritten.value = new Map(this.unwritten.value).set(run, { ...this.unwritten.value.get(run), ...fields });
      ctx.notify('error', t('annotation.refused', { run: this.page.nameOf(run), reason: message(error) }));
    });
  }

  /** Lets go of what could not be written down in these fields of a run. */
  forget(run: string, fields: Partial<Annotation>): void {
    const rest = Object.entries(this.unwritten.value.get(run) ?? {}).filter(([field]) => !(field in fields));
    const next = new Map(this.unwritten.value);
    if (rest.length > 0) next.set(run, Object.fromEntries(rest));
    else next.delete(run);
    this.unwritten.value = next;
  }
}
