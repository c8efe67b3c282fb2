import { codecs, type Page, type Setting } from '@insight-host/kit';
import { headsOf, sectionOf, type Column, type ColumnInfo, type Frame } from '@insight-host/kit/runs';
import { computed, type ReadonlySignal as Live } from '@preact/signals';
import { axisOf, SCALES, type Axis, type Scale } from './axes';
import type { Brushing } from './brushes';
import type { Loading } from './loading';

const chosenNames = {
  parse: (text: string | null) => (text === null ? null : codecs.names.parse(text)),
  format: (value: readonly string[] | null) => value && (codecs.names.format(value) ?? ';'),
};
type Names = Readonly<Record<ViewName, Setting<readonly string[] | null>>>;

/** Columns and axes of one view, as they are saved under a name. */
export interface Layout {
  readonly view: ViewName;
  readonly columns: readonly string[];
  readonly axes: readonly string[];
}

/** The columns that there are, which of them the table shows, and which are axes of the plot; each view has its own. */
export class Columns {
  readonly view: Setting<ViewName>;
  private readonly tableOf: Names;
  private readonly axesOf: Names;
  private readonly scales: Setting<ReadonlyMap<string, Scale>>;

  /** `annotated`: the columns of annotations, also while nothing is written down. */
  constructor(
    page: Page,
    private readonly loading: Loading,
    private readonly annotated: Live<readonly Column[]>,
    private readonly frame: Live<Frame | null>,
    private readonly brushing: Brushing,
  ) {
    this.view = page.setting('view', codecs.choice<ViewName>(VIEWS, 'model'));
    this.tableOf = {
      model: page.setting('columns', chosenNames),
      data: page.setting('data-columns', chosenNames),
    };
    this.axesOf = { model: page.setting('axes', chosenNames), data: page.setting('data-axes', chosenNames) };
    this.scales = page.setting(
      'scales',
      codecs.byTag<Scale>((text) => SCALES.find((scale) => scale === text) ?? null, String),
    );
  }

  /** All that there are, by name. */
  readonly all = computed<ReadonlyMap<string, ColumnInfo>>(
    () =>
      new Map(
        [...(this.loading.listing.value?.columns ?? []), ...this.annotated.value].map((column) => [
          column.name,
          column,
        ]),
      ),
  );
  /** Whether data processing was recorded, or is looked at: else there is one view only. */
  readonly hasPipelines = computed(
    () => this.view.value === 'data' || [...this.all.value.values()].some(({ group }) => group === 'pipeline'),
  );
  /** Names of the columns of the table. */
  readonly shown = computed<readonly string[]>(() => {
    const chosen = this.tableOf[this.view.value].value;
    return chosen ?? defaultColumns(this.loading.listing.value?.columns ?? [], this.view.value);
  });
  /** Columns of the table, in their order. */
  readonly table = computed<readonly Column[]>(() =>
    this.shown.value.flatMap((name) => this.frame.value?.columns.get(name) ?? []),
  );
  /** Names of the columns that the user or the view made axes, be they here or on their way. */
  readonly wantedAxes = computed<readonly string[]>(() => {
    const { value: frame } = this.frame;
    const chosen = this.axesOf[this.view.value].value;
    return chosen ?? (frame ? defaultAxes(frame, this.shown.value, this.view.value) : []);
  });
  /** Those that are here. */
  readonly axisNames = computed<readonly string[]>(() =>
    this.wantedAxes.value.filter((name) => this.frame.value?.columns.has(name)),
  );
  private readonly knownAxes = new WeakMap<Column, Map<Scale | undefined, Axis>>();
  readonly axes = computed<readonly Axis[]>(() => this.axisNames.value.flatMap((name) => this.axis(name) ?? []));

  /** What the axes are called. */
  readonly axisHeads = computed(() => headsOf(this.axes.value.map(({ column }) => column)));

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

  /** Names of the columns that are shown, or chosen as axes. */
  readonly used = computed<readonly string[]>(() => [
    ...this.shown.value,
    ...(this.axesOf[this.view.value].value ?? []),
  ]);

  setShown(names: readonly string[] | null): void {
    this.tableOf[this.view.value].set(names);
  }

  /** Puts a column before another, or last. */
  move(name: string, before: string | null): void {
    const others = this.shown.value.filter((other) => other !== name);
    const at = before === null ? others.length : others.indexOf(before);
    this.setShown(others.toSpliced(at, 0, name));
  }

  setAxes(names: readonly string[] | null): void {
    this.axesOf[this.view.value].set(names);
    for (const name of this.brushing.all.value.keys())
      if (names && !names.includes(name)) this.brushing.set(name, null);
  }

  /** What is saved under a name. */
  get layout(): Layout {
    return { view: this.view.value, columns: this.shown.value, axes: this.wantedAxes.value };
  }

  /** Shows a layout; columns that these runs do not have are remembered, not shown. */
  lay({ view, columns, axes }: Layout): void {
    this.view.set(view);
    this.setShown(columns);
    this.setAxes(axes);
  }

  setScale(name: string, scale: Scale): void {
    this.brushing.set(name, null);
    this.scales.set(new Map(this.scales.value).set(name, scale));
  }
}

/** What is shown while the user has not chosen. */
export const VIEWS = ['model', 'data'] as const;
export type ViewName = (typeof VIEWS)[number];

const MOST_SCALARS = 12;
const SCALARS = 4; // scalar columns in addition to those of lineage
const MOST_COLUMNS = 40;
const MOST_AXES = 8;
const OF_RUN = ['run/status', 'start_time', 'run/duration'];
const NEARLY_ALL = 0.9;
const MOST_CATEGORIES = 60; // on an axis that nobody asked for
const FEW_CATEGORIES = 5; // as many may be different in all runs: more are names of the runs

const inGroups = (columns: readonly ColumnInfo[], ...groups: readonly ColumnInfo['group'][]): readonly ColumnInfo[] =>
  groups.flatMap((group) => columns.filter((column) => column.group === group && column.count > 0));

/** Whether runs say anything of themselves but their scalars. */
function hasLineage(columns: readonly ColumnInfo[]): boolean {
  return inGroups(columns, 'hyperparameter', 'metric', 'custom', 'model', 'dataset').length > 0;
}

/** Names of the columns of the table, all of which are there. */
function defaultColumns(columns: readonly ColumnInfo[], view: ViewName): readonly string[] {
  const last = inGroups(columns, 'scalar').filter(({ name }) => name.startsWith('last/'));
  const metrics = new Set(inGroups(columns, 'metric').map(({ title }) => title));
  const isJudged = [...metrics].some((title) => title !== 'loss');
  const untold = last.filter(({ name }) => !metrics.has(name.slice('last/'.length)));
  untold.sort((one, other) => Number(!one.goal) - Number(!other.goal)); // the last learning rate is no result
  const scalars = mostKnown(untold, SCALARS);
  const ofTraining = scalars.filter((column) => sectionOf(column) !== 'system');
  const named = (names: readonly string[]): readonly ColumnInfo[] =>
    columns.filter(({ name, count }) => names.includes(name) && count > 0);
  const of = (...groups: readonly ColumnInfo['group'][]): readonly ColumnInfo[] => inGroups(columns, ...groups);
  const chosen =
    view === 'data'
      ? [...of('dataset'), ...of('pipeline'), ...of('metric')]
      : hasLineage(columns)
        ? [
            ...of('metric'),
            ...(isJudged ? [] : ofTraining),
            ...of('hyperparameter', 'custom'),
            ...named(['network', 'train_dataset_count', 'dataset_mark']),
            ...(isJudged ? ofTraining : []), // what a sweep was run for stands next to what explains it
            ...scalars.filter((column) => sectionOf(column) === 'system'),
          ]
        : last.slice(0, MOST_SCALARS);
  const ofRun = named(OF_RUN).map(({ name }) => name);
  const kept = mostKnown([...new Set(chosen)], MOST_COLUMNS).map(({ name }) => name);
  return [...kept, ...ofRun, 'mark', 'remark'];
}

/** Those that most runs have a value in, in their order; of those that nearly all have, the first ones. */
function mostKnown<T extends ColumnInfo>(columns: readonly T[], most: number): readonly T[] {
  const enough = NEARLY_ALL * Math.max(0, ...columns.map(({ count }) => count));
  const known = ({ count }: T): number => Math.min(count, enough);
  const kept = new Set([...columns].sort((left, right) => known(right) - known(left)).slice(0, most));
  return columns.filter((column) => kept.has(column));
}

/** Names of the axes: parameters in which runs differ, then how well they did. */
export function defaultAxes(frame: Frame, shown: readonly string[], view: ViewName): readonly string[] {
  const columns = shown
    .flatMap((name) => frame.columns.get(name) ?? [])
    .filter(({ group }) => group !== 'annotation' && group !== 'run');
  const groupsRuns = (column: Column): boolean =>
    column.hasFew(Math.min(MOST_CATEGORIES, Math.max(FEW_CATEGORIES, column.count - 1)));
  const fit = columns.filter(
    (column) => column.count > 0 && (column.isNumeric || groupsRuns(column)) && column.type !== 'list',
  );
  const varying = fit.filter(({ varies }) => varies);
  const isResult = ({ name, group }: ColumnInfo): boolean =>
    group === 'metric' || group === 'scalar' || name === 'loss';
  const candidates = varying.length >= 2 ? varying : fit;
  const ofSweep = shared(candidates, isResult);
  const results = ofSweep.filter(isResult);
  const parameters = ofSweep.filter((column) => !isResult(column));
  const room = Math.max(MOST_AXES - parameters.length, view === 'data' ? 1 : 3);
  const last = mostKnown(results, room);
  const chosen = [...mostKnown(parameters, MOST_AXES - last.length), ...last];
  const isMixed = 2 * knownOn(chosen, frame.rows).filter((count) => count >= 2).length < frame.rows;
  const axes = isMixed ? widest(candidates, frame.rows) : chosen;
  return [...axes.filter((column) => !isResult(column)), ...axes.filter(isResult)].map(({ name }) => name);
}

/** By row, on how many of these columns it has a value. */
function knownOn(columns: readonly Column[], rows: number): Uint8Array {
  return Uint8Array.from({ length: rows }, (_, row) =>
    columns.reduce((sum, column) => sum + Number(!column.isMissing(row)), 0),
  );
}

/**
 * Of runs that have few columns in common, as those of several programs: one column after another, each time the one
 * that gives the most runs a first or a second value. A run with two has a line.
 */
function widest(columns: readonly Column[], rows: number): readonly Column[] {
  const chosen: Column[] = [];
  const gainOf = (column: Column, known: Uint8Array): number =>
    known.reduce((sum, count, row) => sum + (count < 2 && !column.isMissing(row) ? 1 + count : 0), 0);
  while (chosen.length < MOST_AXES) {
    const known = knownOn(chosen, rows);
    const gains = columns.map((column) => (chosen.includes(column) ? 0 : gainOf(column, known)));
    const most = Math.max(0, ...gains);
    if (most === 0) break;
    chosen.push(columns[gains.indexOf(most)] as Column);
  }
  return chosen; // the best known first, so that what runs have in common is next to each other
}

/**
 * Without the columns that most runs of the best known result have no value in: the lines of runs are broken at axes
 * on which they have none.
 */
function shared(columns: readonly Column[], isResult: (column: Column) => boolean): readonly Column[] {
  const [best] = [...columns.filter(isResult)].sort((left, right) => right.count - left.count);
  if (!best) return columns;
  const rows = best.values.flatMap((value, row) => (value === null || value === undefined ? [] : row));
  const isKnown = (column: Column): boolean =>
    2 * rows.reduce((count, row) => count + Number(!column.isMissing(row)), 0) >= rows.length;
  const kept = columns.filter(isKnown);
  return kept.length >= 2 ? kept : columns;
}
