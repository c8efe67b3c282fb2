import { codecs, type Page } from '@insight-host/kit';
import type { Column, ColumnInfo, Frame } from '@insight-host/kit/runs';
import { sortOf } from '@insight-host/kit/table';
import { computed, effect, signal } from '@preact/signals';
import type { Axis } from './axes';
import { Brushing } from './brushes';
import { coloredAlong, coloredAsRuns, ownColors, type Coloring } from './coloring';
import { Columns } from './columns';
import { annotationColumns, Annotations, inWords, RunPanel } from './host_columns';
import { Loading } from './loading';
import { Comparison, Rows, Selection } from './rows';

// asked for when they are shown; the page knows annotations first
const SELDOM: readonly string[] = ['run', 'pipeline', 'scalar', 'annotation'];

const MANY = 10; // runs, whose parameters are worth an analysis
const NARROW = 700; // pixels of a window that has no room for the plot above the table
const ROOM = 1100; // pixels of a window that has room for it beside the table
const FEW = 12; // runs whose own colours tell them apart
const NO_LOOK = { color: 'currentColor', dash: [] };
export const GOALS = ['auto', 'min', 'max'] as const;

export type LineageParts = ReturnType<typeof lineageParts>;

/** What the lineage tab is made of. */
export function lineageParts(page: Page) {
  const panel = new RunPanel(page);
  const target = page.setting('target', codecs.name);
  const secondTarget = page.setting('second', codecs.name);
  const parameter = page.setting('parameter', codecs.name);
  /** Names of the columns that are shown or used, of those that the host has. */
  const neededOf = (infos: readonly ColumnInfo[]): readonly string[] => {
    const needed = new Set<string | null>([
      ...infos.filter(({ group }) => !SELDOM.includes(group)).map(({ name }) => name),
      ...columns.used.value,
      ...rows.sorts.value.map((sort) => sortOf(sort).key),
      panel.colorColumn.value,
      target.value,
      secondTarget.value,
      parameter.value,
      ...brushing.all.value.keys(),
    ]);
    const known = infos.filter(({ name, group }) => group !== 'annotation' && name !== 'run').map(({ name }) => name);
    return [...new Set(known)].filter((name) => needed.has(name));
  };
  const loading = new Loading(page.ctx, page.visible, neededOf);
  const annotated = computed<readonly Column[]>(() => annotationColumns(page, loading.frame.value?.runs ?? []));
  const ofHost = computed(() => (loading.frame.value ? inWords(page, loading.frame.value) : []));
  const frame = computed<Frame | null>(() => loading.frame.value?.with([...ofHost.value, ...annotated.value]) ?? null);
  const brushing = new Brushing(page);
  const columns = new Columns(page, loading, annotated, frame, brushing);
  const selected = computed<ReadonlySet<string>>(() => new Set(page.runs.value.map((run) => run.name)));
  const rows = new Rows(page, frame, brushing, selected, columns.table, panel);
  const targets = computed(() =>
    targetsOf(frame.value, new Set([...columns.shown.value, ...columns.axisNames.value, target.value ?? ''])),
  );
  const chosenTarget = computed(
    () => targets.value.find(({ name }) => name === target.value) ?? bestCovered(targets.value),
  );
  const drawn = computed(() => placed(rows.mask.value, columns.axes.value));
  const plot = page.setting('plot', openCodec);
  const analysis = page.setting('analysis', openCodec);
  /** Runs differ in their parameters, and there is something to explain. */
  const hasCauses = computed(() => {
    const columns = [...(frame.value?.columns.values() ?? [])];
    const isCause = ({ group }: Column): boolean => group === 'hyperparameter' || group === 'custom';
    return (
      (frame.value?.rows ?? 0) >= MANY &&
      chosenTarget.value !== null &&
      columns.some((column) => isCause(column) && column.varies)
    );
  });
  const isAnalysed = computed(() => analysis.value ?? (innerWidth >= ROOM && hasCauses.value));
  const dialog = signal<OpenDialog | null>(null);
  const diff = page.setting('diff', codecs.names);
  const showsEqual = signal(page.ctx.memory.get('equal', false));
  page.until(effect(() => page.ctx.memory.set('equal', showsEqual.value)));
  page.until(loading.start());
  return {
    page,
    loading,
    frame,
    columns,
    panel,
    brushing,
    rows,
    selection: new Selection(page, selected, frame, rows),
    annotations: new Annotations(page),
    target,
    targets,
    chosenTarget,
    secondTarget,
    goal: page.setting('goal', codecs.choice(GOALS, 'auto')),
    secondGoal: page.setting('second-goal', codecs.choice(GOALS, 'auto')),
    parameter,
    /** As the run panel says; while it says nothing, many runs are coloured by the target. */
    coloring: computed<Coloring>(() => {
      const { mode } = page.theme.value;
      const looks = (frame.value?.runs ?? []).map((name) => page.runsByName.value.get(name) ?? NO_LOOK);
      if (panel.isColored.value) {
        const { value: column } = panel.colorColumn;
        return coloredAsRuns(looks, column === null ? null : columns.axis(column));
      }
      const axis = looks.length > FEW && chosenTarget.value ? columns.axis(chosenTarget.value.name) : null;
      return axis && axis.scale !== 'category' ? coloredAlong(axis, mode) : ownColors(looks, mode);
    }),
    /** Open where there is room and more than one run, until the user says otherwise. */
    plot: {
      get value() {
        return plot.value ?? (innerWidth >= NARROW && frame.value?.runs.length !== 1);
      },
      set: (open: boolean) => plot.set(open),
    },
    /** Open by itself where there is something to explain, until the user says otherwise. */
    analysis: {
      get value() {
        return isAnalysed.value;
      },
      set: (open: boolean) => analysis.set(open),
    },
    showsEqual,
    /** Runs whose differences are shown; none: they are not. */
    diff,
    comparison: new Comparison((runs) => diff.set(runs, 'push')),
    /** Rows that have a place on some axis: those that have lines, of the rows that are shown. */
    drawn,
    /** How many of these lines are broken. */
    broken: computed(() => brokenIn(drawn.value, columns.axes.value)),
    /** Rows of the runs that stand out, in whatever tab the pointer is. */
    hovered: computed<Int32Array>(() => {
      const { value: names } = page.hovered;
      const rowOf = names.length > 0 ? frame.value?.rowOf : undefined;
      return Int32Array.from(names.flatMap((name) => rowOf?.get(name) ?? [])).sort();
    }),
    /** The row is under the pointer; null: none is. */
    hover: (row: number | null): void => {
      const run = row === null ? undefined : frame.value?.runs[row];
      page.ctx.runs.hover(run === undefined ? [] : [run]);
    },
    dialog,
  };
}

type OpenDialog = 'columns' | 'filters' | 'problems' | { readonly pipeline: string };

/** Open or closed as the user said; null: as the data say. */
const openCodec = {
  parse: (text: string | null) => (text === null ? null : text === '1'),
  format: (value: boolean | null) => (value === null ? null : value ? '1' : '0'),
};

/** Without the rows that have no place on any axis. */
export function placed(mask: Uint8Array, axes: readonly Axis[]): Uint8Array {
  return mask.map((is, row) => Number(is === 1 && axes.some(({ places }) => !Number.isNaN(places[row]))));
}

/** How many of these rows have no place on one of the axes: their lines are broken. */
export function brokenIn(mask: Uint8Array, axes: readonly Axis[]): number {
  return mask.reduce(
    (sum, is, row) => sum + Number(is === 1 && axes.some(({ places }) => Number.isNaN(places[row]))),
    0,
  );
}

/** Columns that can say how well a run did; `used` are names that the table or the plot shows. */
export function targetsOf(frame: Frame | null, used: ReadonlySet<string>): readonly Column[] {
  const all = [...(frame?.columns.values() ?? [])].filter(
    (column) => column.isNumeric && !column.isTextual && column.count > 0,
  );
  const of = (group: string): readonly Column[] => all.filter((column) => column.group === group);
  const results = [...of('metric'), ...of('scalar').filter(({ name }) => used.has(name))];
  return results.length > 0 ? results : all.filter(({ name }) => used.has(name));
}

const COSTS = /time|latency|duration|second|memory|cost|intermediate/i; // not what a model is trained for
const NEARLY_ALL = 0.9;

/**
 * Of the targets that differ between runs, of all where none does, the one that most runs have a finite number for, the
 * first of several. A result before a cost that a few runs more have: runs that diverged have a time, but no loss.
 * Before both, what a sweep recorded as its result.
 */
export function bestCovered(all: readonly Column[]): Column | null {
  const varying = all.filter(({ varies }) => varies);
  const targets = varying.length > 0 ? varying : all;
  const counts = new Map(
    targets.map((target) => [target, target.numbers.reduce((sum, value) => sum + Number(Number.isFinite(value)), 0)]),
  );
  const countOf = (target: Column | null): number => (target && counts.get(target)) ?? -1;
  const most = (some: readonly Column[]): Column | null =>
    some.reduce<Column | null>((best, target) => (countOf(target) > countOf(best) ? target : best), null);
  const best = most(targets);
  const results = targets.filter(({ name }) => !COSTS.test(name));
  const named = results.filter(({ name, group }) => group === 'metric' && name !== 'loss');
  const first = [most(named), most(results)];
  return first.find((one) => one !== null && countOf(one) >= NEARLY_ALL * countOf(best)) ?? best;
}
