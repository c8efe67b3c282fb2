import { computed, effect, signal } from '@preact/signals';
import { codecs, message, Page, type Setting } from '@insight-host/kit';
import { sortOf } from '@insight-host/kit/table';
import type { Annotation, PluginContext, Run } from '@insight-host/api';
import type { ColumnInfo, Group } from './answers';
import { axisOf, SCALES, type Axis, type Scale } from './axes';
import { applyBrushes, brushesCodec, conditionsOf, type Brush, type Brushes } from './brushes';
import { defaultAxes, defaultColumns, VIEWS, type ViewName } from './choices';
import { coloringOf, type Coloring } from './coloring';
import { Column, type Frame } from './frame';
import type { Layout } from './layouts';
import { Loading } from './loading';
import { groupsOf, linesOf, orderOf, type RowGroup } from './ordering';
import { LONGEST, matching, type Matching } from './source';

const SELDOM: readonly Group[] = ['run', 'pipeline', 'scalar', 'annotation']; // asked for when they are shown; the page knows annotations first
const SETTLE = 250; // ms without a move before the URL says it
const chosenNames = {
  parse: (text: string | null) => (text === null ? null : codecs.names.parse(text)),
  format: (value: readonly string[] | null) => value && (codecs.names.format(value) ?? ';'),
};

/** What the lineage tab shows, and what the user has set. */
export class LineageBoard extends Page {
  readonly loading = new Loading(this.ctx, this.visible, (columns) => this.neededOf(columns));
  /** False while the host takes no annotations. */
  readonly writable = this.follow(this.ctx.runs.annotatable);
  private readonly listed = this.follow(this.ctx.runs.shown);
  /** What `where` leaves; null while it says nothing. */
  private readonly matches = signal<Matching | null>(null);

  readonly view = this.setting('view', codecs.choice<ViewName>(VIEWS, 'model'));
  readonly where = this.setting('where', codecs.text);
  private readonly tableOf: Readonly<Record<ViewName, Setting<readonly string[] | null>>> = {
    model: this.setting('columns', chosenNames),
    data: this.setting('data-columns', chosenNames),
  };
  private readonly axesOf: Readonly<Record<ViewName, Setting<readonly string[] | null>>> = {
    model: this.setting('axes', chosenNames),
    data: this.setting('data-axes', chosenNames),
  };
  private readonly scales = this.setting(
    'scales',
    codecs.byTag<Scale>((text) => SCALES.find((scale) => scale === text) ?? null, String),
  );
  readonly brushes: Setting<Brushes> = this.setting('brush', brushesCodec, SETTLE);
  readonly sorts = this.setting('sort', codecs.names);
  readonly grouping = this.setting('group', codecs.name);
  readonly coloredBy = this.setting('color', codecs.name);
  readonly target = this.setting('target', codecs.name);
  readonly parameter = this.setting('parameter', codecs.name);
  readonly hidden = this.setting('hidden', codecs.names);
  readonly onlySelected = this.setting('only', codecs.flag(false));
  readonly plot = this.setting('plot', codecs.flag(true));
  readonly analysis = this.setting('analysis', codecs.flag(false));
  readonly closedGroups = signal<ReadonlySet<string>>(new Set());
  /** The row under the pointer, wherever it is shown. */
  readonly pointed = signal<number | null>(null);
  readonly dialog = signal<'columns' | 'diff' | 'problems' | { readonly pipeline: string } | null>(null);

  /** By run, what was refused, so that nobody types it again. */
  readonly unwritten = signal<ReadonlyMap<string, Partial<Annotation>>>(new Map());

  private wheres = 0;

  constructor(ctx: PluginContext) {
    super(ctx);
    this.until(
      effect(() => {
        void this.loading.frame.value;
        void this.annotated.value; // an expression may be about them
        void this.match(this.where.value);
      }),
    );
    this.until(this.loading.start());
  }

  /** Names of the columns that are shown or used, of those that the host has. */
  private neededOf(columns: readonly ColumnInfo[]): readonly string[] {
    const always = columns.filter(({ group }) => !SELDOM.includes(group)).map(({ name }) => name);
    const { view, sorts, grouping, coloredBy, target, parameter, brushes } = this;
    const named = [
      ...this.shown.value,
      ...(this.axesOf[view.value].value ?? []),
      ...sorts.value.map((sort) => sortOf(sort).key),
      grouping.value,
      coloredBy.value,
      target.value,
      parameter.value,
      ...brushes.value.keys(),
    ];
    const needed = new Set<string | null>([...always, ...named]);
    const known = columns.filter(({ name, group }) => group !== 'annotation' && name !== 'run').map(({ name }) => name);
    return [...new Set(known)].filter((name) => needed.has(name));
  }

  private async match(where: string): Promise<void> {
    const mine = ++this.wheres;
    if (!where.trim()) {
      this.matches.value = null;
      return;
    }
    const found = await matching(this.ctx, where);
    if (mine === this.wheres && found) this.matches.value = found;
  }

  /** Why `where` says nothing. */
  readonly whereProblem = computed(() => this.matches.value?.problem ?? null);

  /** All that there are, by name; those of annotations also while nothing is written down. */
  readonly columns = computed<ReadonlyMap<string, ColumnInfo>>(
    () =>
      new Map(
        [...(this.loading.listing.value?.columns ?? []), ...this.annotated.value].map((column) => [
          column.name,
          column,
        ]),
      ),
  );
  readonly frame = computed<Frame | null>(() => this.loading.frame.value?.with(this.annotated.value) ?? null);
  /** What was written down is the page's, which knows it first. */
  private readonly annotated = computed<readonly Column[]>(() => {
    const runs = (this.loading.frame.value?.runs ?? []).map((name) => this.runsByName.value.get(name));
    const column = (name: string, type: 'str' | 'int', of: (run: Run) => string | number): Column => {
      const values = runs.map((run) => (run && of(run)) || null);
      return new Column(
        { name, title: name, group: 'annotation', type, count: values.filter((value) => value !== null).length },
        values,
      );
    };
    return [
      column('display_name', 'str', (run) => (run.displayName === run.name ? '' : run.displayName)),
      column('note', 'str', (run) => run.note),
      column('remark', 'str', (run) => run.remark),
      column('mark', 'int', (run) => run.mark),
    ];
  });

  /** Names of the columns of the table. */
  readonly shown = computed<readonly string[]>(() => {
    const { value: listing } = this.loading.listing;
    const chosen = this.tableOf[this.view.value].value;
    return chosen ?? defaultColumns(listing?.columns ?? [], this.view.value);
  });
  /** Columns of the table, in their order. */
  readonly table = computed<readonly Column[]>(() =>
    this.shown.value.flatMap((name) => this.frame.value?.columns.get(name) ?? []),
  );
  readonly axisNames = computed<readonly string[]>(() => {
    const { value: frame } = this.frame;
    const chosen = this.axesOf[this.view.value].value;
    return (chosen ?? (frame ? defaultAxes(frame, this.shown.value, this.view.value) : [])).filter((name) =>
      frame?.columns.has(name),
    );
  });
  private readonly knownAxes = new WeakMap<Column, Map<Scale | undefined, Axis>>();
  readonly axes = computed<readonly Axis[]>(() => this.axisNames.value.flatMap((name) => this.axis(name) ?? []));

  axis(name: string): Axis | null {
    const column = this.frame.value?.columns.get(name);
    if (!column) return null;
    const scale = this.scales.value.get(name);
    const known = this.knownAxes.get(column) ?? new Map<Scale | undefined, Axis>();
    this.knownAxes.set(column, known);
    const axis = known.get(scale) ?? axisOf(column, scale);
    known.set(scale, axis);
    return axis;
  }

  /** The runs that the run list and `onlySelected` leave; null where those are all. */
  private readonly within = computed<ReadonlySet<string> | null>(() => {
    if (this.onlySelected.value) return this.selectedNames.value;
    return this.listed.value.length < this.allRuns.value.length
      ? new Set(this.listed.value.map((run) => run.name))
      : null;
  });
  private readonly order = computed(() =>
    this.frame.value ? orderOf(this.frame.value, this.sorts.value) : new Int32Array(),
  );
  /** Rows that are not hidden, one way or another, but for the brushes: the faint lines. */
  readonly candidates = computed<Uint8Array>(() => {
    const { value: frame } = this.frame;
    const mask = new Uint8Array(frame?.rows ?? 0).fill(1);
    if (!frame) return mask;
    for (const run of this.hidden.value) {
      const row = frame.rowOf.get(run);
      if (row !== undefined) mask[row] = 0;
    }
    const keep = (names: ReadonlySet<string>): void =>
      frame.runs.forEach((run, row) => names.has(run) || (mask[row] = 0));
    if (this.within.value) keep(this.within.value);
    const matches = this.matches.value?.runs;
    if (matches) keep(matches);
    return mask;
  });
  /** Rows that are shown: 1 by row. */
  readonly mask = computed<Uint8Array>(() => {
    const mask = this.candidates.value.slice();
    if (this.frame.value) applyBrushes(this.frame.value, this.brushes.value, mask);
    return mask;
  });
  /** Rows that are shown, in their order. */
  readonly rows = computed<Int32Array>(() => {
    const { value: mask } = this.mask;
    return this.order.value.filter((row) => mask[row] === 1);
  });
  /**
   * The rows that are shown as conditions of `filter=`, but for the expression; null where that is all of them.
   * `whole`: nothing is left out for want of room.
   */
  readonly conditions = computed<{ readonly text: string | null; readonly whole: boolean }>(() => {
    const { value: frame } = this.frame;
    const brushed = frame ? conditionsOf(frame, this.brushes.value) : {};
    const hidden = this.hidden.value.filter((run) => frame?.rowOf.has(run));
    const rows = {
      ...(hidden.length > 0 ? { not_in: hidden } : {}),
      ...(this.within.value ? { in: [...this.within.value] } : {}),
    };
    const all = Object.keys(rows).length > 0 ? { ...brushed, run: rows } : brushed;
    const text = JSON.stringify(all);
    const whole = encodeURIComponent(text).length <= LONGEST;
    const told = whole ? text : JSON.stringify(brushed);
    return { text: told === '{}' ? null : told, whole };
  });
  readonly groupColumn = computed<Column | null>(() =>
    this.grouping.value === null ? null : (this.frame.value?.columns.get(this.grouping.value) ?? null),
  );
  readonly rowGroups = computed<readonly RowGroup[] | null>(() => {
    const { value: column } = this.groupColumn;
    return column && groupsOf(column, this.rows.value, this.sorts.value.includes(`-${column.name}`));
  });
  readonly lines = computed<Int32Array>(() => linesOf(this.rowGroups.value, this.rows.value, this.closedGroups.value));
  readonly coloring = computed<Coloring>(() => {
    const runs = (this.frame.value?.runs ?? []).map((name) => this.runsByName.value.get(name)?.color ?? 'currentColor');
    const axis = this.coloredBy.value === null ? null : this.axis(this.coloredBy.value);
    return coloringOf(axis, runs, this.theme.value.mode);
  });

  readonly selectedNames = computed<ReadonlySet<string>>(() => new Set(this.runs.value.map((run) => run.name)));
  /** Runs of shown rows that are selected in the whole page, in the order of the rows. */
  readonly ticked = computed<readonly string[]>(() => {
    const { value: frame } = this.frame;
    if (!frame) return [];
    return [...this.rows.value]
      .map((row) => frame.runs[row] as string)
      .filter((run) => this.selectedNames.value.has(run));
  });

  setShown(names: readonly string[] | null): void {
    this.tableOf[this.view.value].set(names);
  }

  setAxes(names: readonly string[] | null): void {
    this.axesOf[this.view.value].set(names);
    const gone = [...this.brushes.value.keys()].filter((name) => names && !names.includes(name));
    if (gone.length > 0) this.brushes.set(new Map([...this.brushes.value].filter(([name]) => !gone.includes(name))));
  }

  /** What is saved under a name. */
  get layout(): Layout {
    return { view: this.view.value, columns: this.shown.value, axes: this.axisNames.value };
  }

  /** Shows a layout; columns that these runs do not have are left out. */
  lay({ view, columns, axes }: Layout): void {
    this.view.set(view);
    this.setShown(columns);
    this.setAxes(axes);
  }

  setScale(name: string, scale: Scale): void {
    this.setBrush(name, null);
    this.scales.set(new Map(this.scales.value).set(name, scale));
  }

  setBrush(name: string, brush: Brush | null): void {
    const next = new Map(this.brushes.value);
    if (brush) next.set(name, brush);
    else next.delete(name);
    this.brushes.set(next);
  }

  /** Upwards, downwards, not at all; `more` keeps what it was sorted by before. */
  turnSort(name: string, more: boolean): void {
    const { value: sorts } = this.sorts;
    const next = sorts.includes(name) ? [`-${name}`] : sorts.includes(`-${name}`) ? [] : [name];
    const others = more ? sorts.filter((sort) => sortOf(sort).key !== name) : [];
    this.sorts.set([...others, ...next]);
  }

  toggleGroup(key: string): void {
    const next = new Set(this.closedGroups.value);
    if (!next.delete(key)) next.add(key);
    this.closedGroups.value = next;
  }

  toggleRun(run: string): void {
    const next = new Set(this.selectedNames.value);
    if (!next.delete(run)) next.add(run);
    this.ctx.runs.select([...next]);
  }

  /** Selects exactly what is shown. */
  selectShown(): void {
    const { value: frame } = this.frame;
    if (frame) this.ctx.runs.select([...this.rows.value].map((row) => frame.runs[row] as string));
  }

  hide(which: 'selected' | 'others'): void {
    const { value: frame } = this.frame;
    if (!frame) return;
    const shown = [...this.rows.value].map((row) => frame.runs[row] as string);
    const gone = shown.filter((run) => this.selectedNames.value.has(run) === (which === 'selected'));
    this.hidden.set([...new Set([...this.hidden.value, ...gone])]);
  }

  showAll(): void {
    this.hidden.set([]);
    this.onlySelected.set(false);
  }

  clearBrushes(): void {
    this.brushes.set(new Map());
  }

  /** Looks at the selected runs among those shown in the view of scalars. */
  compare(): void {
    this.ctx.runs.select(this.ticked.value);
    this.ctx.open('scalar');
  }

  annotate(run: string, fields: Partial<Annotation>): void {
    this.forget(run, fields);
    this.ctx.runs.annotate(run, fields).then(
      () => void this.match(this.where.value),
      (error: unknown) => {
        this.unwritten.value = new Map(this.unwritten.value).set(run, { ...this.unwritten.value.get(run), ...fields });
        this.ctx.notify('error', this.t('annotation.refused', { run: this.nameOf(run), reason: message(error) }));
      },
    );
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
