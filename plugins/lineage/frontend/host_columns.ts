/** Columns that the host has: their names, how they read, what is written in them, what the run panel chooses. */
import type { Annotation, Run, RunGroup } from '@insight-host/api';
import { codecs, message, type Page, type Setting } from '@insight-host/kit';
import { isExpression } from '@insight-host/kit/lab';
import {
  Column,
  secondsLook,
  statusLook,
  type ColumnInfo,
  type ColumnLook,
  type Frame,
  type GroupStep,
} from '@insight-host/kit/runs';
import { computed, effect, signal, untracked, type ReadonlySignal as Live } from '@preact/signals';

/** Their keys in the run table, by name here; keys of the other columns begin with the plugin's name. */
const OF_HOST: Readonly<Record<string, string>> = {
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

const OWN_COLORS = 'run'; // what `color` said in the last release of the colours of the runs

/** What the run panel chooses for every tab, as this tab's names of columns have it. */
export class RunPanel {
  /** The text of the run list's filter; `runs.shown` are those that match it. */
  readonly filter: Setting<string>;
  private readonly colorBy: Live<readonly string[]>;
  private readonly groupBy: Live<readonly string[]>;
  private readonly known: Live<readonly RunGroup[]>;

  constructor(private readonly page: Page) {
    const { runs } = page.ctx;
    this.filter = page.settled(runs.filter, 0);
    this.colorBy = page.follow(runs.colorBy);
    this.groupBy = page.follow(runs.groupBy);
    this.known = page.follow(runs.groups);
    this.takeOver();
  }

  /** Places of runs in the order of the run panel. */
  readonly places = computed(() => this.page.drawing.value.places);
  /** The filter, where it is one that the host evaluates. */
  readonly expression = computed(() => (isExpression(this.filter.value) ? this.filter.value : null));
  /** Whether colours of runs say something that the user chose. */
  readonly isColored = computed(() => this.colorBy.value.length > 0 || this.groupBy.value.length > 0);
  /** The tab's name of the one column that colours the runs; null without one, and for one that is not of the tab. */
  readonly colorColumn = computed(() => (this.colorBy.value.length === 1 ? this.nameOf(this.colorBy.value[0]) : null));
  /** Tab's names of columns that group the runs. */
  private readonly groupColumns = computed(() => this.groupBy.value.flatMap((key) => this.nameOf(key) ?? []));

  /** The group of each of these runs, by row; null without groups. They stand upside down where `downwards` says. */
  stepsOf(runs: readonly string[], downwards: readonly string[]): ((row: number) => readonly GroupStep[]) | null {
    const { value: groups } = this.known;
    if (this.groupBy.value.length === 0 || groups.length === 0) return null;
    const sign = downwards.includes(this.groupColumns.value[0] ?? '') ? -1 : 1;
    const steps = new Map<string, readonly GroupStep[]>();
    groups.forEach(({ key, title, runs: own }, at) => {
      const step = [{ id: key, title, rank: key === '' ? Infinity : sign * at }];
      for (const run of own) steps.set(run, step);
    });
    return (row) => steps.get(runs[row] ?? '') ?? [];
  }

  private keyOf(name: string): string {
    return OF_HOST[name] ?? `${this.page.ctx.name}/${name}`;
  }

  private nameOf(key: string | undefined): string | null {
    const own = `${this.page.ctx.name}/`;
    if (key?.startsWith(own)) return key.slice(own.length);
    return Object.keys(OF_HOST).find((name) => OF_HOST[name] === key) ?? null;
  }

  /** Keys of the last release: what an address has in them goes to the run panel, unless that says something else. */
  private takeOver(): void {
    const { colorBy, groupBy } = this.page.ctx.runs;
    const color = this.page.setting('color', codecs.name);
    const group = this.page.setting('group', codecs.name);
    const where = this.page.setting('where', codecs.text);
    this.page.until(
      effect(() => {
        const [ofColor, ofGroup, ofWhere] = [color.value, group.value, where.value.trim()];
        untracked(() => {
          if (ofColor !== null) {
            if (colorBy.value.length === 0 && ofColor !== OWN_COLORS) colorBy.set([this.keyOf(ofColor)]);
            color.set(null);
          }
          if (ofGroup !== null) {
            if (groupBy.value.length === 0) groupBy.set([this.keyOf(ofGroup)]);
            group.set(null);
          }
          if (ofWhere) {
            this.filter.set(this.withFilter(ofWhere));
            where.set('');
          }
        });
      }),
    );
  }

  /** The filter of the run list and another expression; one over names does not go with an expression. */
  private withFilter(where: string): string {
    const before = this.filter.value.trim();
    if (!before || before === where) return where;
    if (isExpression(before)) return `(${before}) and (${where})`;
    this.page.ctx.notify('info', this.page.t('filter.replaced', { before, after: where }));
    return where;
  }
}
