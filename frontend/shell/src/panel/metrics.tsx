/** Columns that runs are sorted, grouped and coloured by, in words; and the value of each run in the sorted one. */
import { computed, effect, untracked } from '@preact/signals';
import type { Cell, Drawing, Run, RunGroup } from '@insight-host/api';
import { cellOf, type ShownColumn } from '../columns/cells';
import { groupsOf } from '../coloring/grouping';
import type { ColumnValues } from '../state/late';
import { type Page, usePage } from '../state/page';
import type { RunMetric, Runs } from '../state/runs';
import { lateTexts } from '../i18n/texts';
import { panel as en } from '../locales/en.json';
import { panel as zh } from '../locales/zh-CN.json';

export const words = lateTexts({ en, 'zh-CN': zh });

/** A column in a menu. */
export interface Choice {
  readonly key: string;
  /** As short as it can be. */
  readonly title: string;
  readonly kind: (typeof KINDS)[number];
  /** Whether its largest value comes first. */
  readonly isDown: boolean;
  /** Whether it is known which of its values are better. */
  readonly isRanked: boolean;
}

const KINDS = ['hyperparameter', 'metric', 'other'] as const;
const SEED = /(^|[^a-z])seeds?([^a-z]|$)/i;
const MOST_TRIED = 12; // columns of settings that may follow from others
const HYPERPARAMETERS = ['hyperparameter', 'dataset', 'model', 'custom'];

/** `hparam/val_acc` of `metric/hparam/val_acc`: what people call it. */
export function shortTitle(title: string): string {
  return title.replace(/^(metric\/|hparam\/|last\/)+(?=.)/, '');
}

/** The column that a key sorts by; null for names and times. */
const columnKey = (sort: readonly string[]): string | null => sort.find((key) => /^[+-]/.test(key))?.slice(1) ?? null;

export class Metrics {
  /** Hyperparameters, then metrics, the rest last; a value that comes under several names, once. */
  readonly choices = computed<readonly Choice[]>(() => {
    const all = (this.columns?.listing.value ?? []).map((column): Choice => {
      const isLast = column.name.startsWith('last/');
      const key = `${column.plugin}/${column.name}`;
      const title = this.columns?.titled.value.find((one) => one.key === key)?.title ?? column.name;
      const isMetric = isLast || column.group === 'metric';
      const kind = isMetric ? 'metric' : HYPERPARAMETERS.includes(column.group) ? 'hyperparameter' : 'other';
      return {
        key,
        title: isMetric ? shortTitle(column.name) : title,
        kind,
        isDown: isMetric && column.goal !== 'min',
        isRanked: isMetric && Boolean(column.goal),
      };
    });
    // a metric that does not say what is better, such as a learning rate, is no result
    const placeOf = ({ kind, isRanked }: Choice): number => KINDS.indexOf(kind) - (isRanked ? 0.5 : 0);
    all.sort((one, other) => placeOf(one) - placeOf(other));
    const titles = new Set<string>();
    return all.filter(({ title, kind }) => {
      if (kind !== 'metric') return true;
      const isFirst = !titles.has(title);
      titles.add(title);
      return isFirst;
    });
  });

  constructor(private readonly page: Page) {}

  /** Of the run table; undefined until they are loaded. */
  private get columns(): ColumnValues | undefined {
    return this.page.columns.value?.columns;
  }

  /** Whether the columns are known. */
  get areKnown(): boolean {
    return Boolean(this.columns?.listing.value);
  }

  titleOf(key: string): string {
    const known = this.choices.value.find((one) => one.key === key);
    return known?.title ?? shortTitle(key.slice(key.indexOf('/') + 1));
  }

  /** How many values a column has; null until they are loaded. */
  countOf(key: string): number | null {
    const column = this.columns?.columnOf(key);
    return column ? new Set(Object.values(column.values)).size : null;
  }

  /** Hyperparameters that tell runs apart, but for the seed, and how many groups they make; null without repeats. */
  readonly repeats = computed<{
    readonly seed: string;
    readonly keys: readonly string[];
    readonly count: number;
  } | null>(() => {
    const all = this.choices.value.filter(({ kind }) => kind === 'hyperparameter');
    const counts = all.map(({ key }) => this.countOf(key));
    if (counts.includes(null)) return null;
    const varied = all.filter((_, at) => Number(counts[at]) > 1);
    const seed = varied.find(({ title }) => SEED.test(title));
    if (!seed) return null;
    const { value: names } = this.page.runs.names;
    const countOf = (some: readonly string[]): number =>
      some.length > 0 ? groupsOf(some, names, this.columns).length : names.length;
    let keys = varied.filter(({ title }) => !SEED.test(title)).map(({ key }) => key);
    const count = countOf(keys);
    if (count >= names.length) return null;
    const long = [...keys].sort((one, other) => other.length - one.length); // people give short names
    for (const key of long.slice(0, MOST_TRIED)) {
      const others = keys.filter((other) => other !== key);
      if (countOf(others) === count) keys = others; // it follows from the others, as a size does from a width
    }
    return { seed: seed.title, keys, count };
  });

  /** What the list shows next to names: the column that it is sorted by. */
  readonly shown = computed<RunMetric | null>(() => {
    const { runs } = this.page;
    const key = columnKey(runs.sort.value);
    const { columns } = this;
    const column = key === null ? undefined : columns?.columnOf(key);
    if (!columns || !column) return null;
    const numbers = runs.rows.value.map(({ name }) => numberIn(column, name)).filter(Number.isFinite);
    const low = numbers.reduce((one, other) => Math.min(one, other), 0);
    const high = numbers.reduce((one, other) => Math.max(one, other), 0);
    const hasBars = column.kind === 'number' || column.kind === 'duration';
    return {
      title: this.titleOf(column.key),
      Beside,
      textOf: (run) => {
        const value = cellOf(column, run);
        return value === undefined ? '' : columns.textOf(column, run, brief(value));
      },
      text: (value) => columns.text(column, brief(value)),
      valueOf: (run) => numberIn(column, run),
      shareOf: (value) => (hasBars && high > low && Number.isFinite(value) ? (value - low) / (high - low) : null),
    };
  });

  /** Whether the values that the list is to be sorted by are still to come: it has its old order until then. */
  readonly isSorting = computed<boolean>(() => {
    const key = columnKey(this.page.runs.sort.value);
    return key !== null && !this.columns?.columnOf(key) && this.choices.value.some((one) => one.key === key);
  });

  /** Sorts by a column; by the one that it is sorted by, the other way round. */
  sortBy({ key, isDown }: Pick<Choice, 'key' | 'isDown'>): void {
    const { sort } = this.page.runs;
    const now = sort.value.find((one) => one.slice(1) === key);
    const first = isDown ? '-' : '+';
    const other = now?.startsWith('-') ? '+' : '-';
    sort.set([...sort.value.filter((one) => one === 'selected'), (now ? other : first) + key]);
  }

  /** What the best runs are best at: the metric of the list, else the first that says which values are better. */
  bestOf(runs: Pick<Runs, 'sort'>): Choice | undefined {
    const now = columnKey(runs.sort.value);
    const metrics = this.choices.value.filter(({ kind }) => kind === 'metric');
    return metrics.find(({ key }) => key === now) ?? metrics.find(({ isRanked }) => isRanked);
  }

  /** Sorts by a metric, and selects the runs that are then the first ones, once its values are there. */
  selectBest(choice: Pick<Choice, 'key' | 'isDown'>, count: number): void {
    this.stopSelecting();
    const { runs } = this.page;
    const { sort } = runs;
    sort.set([...sort.value.filter((one) => one === 'selected'), (choice.isDown ? '-' : '+') + choice.key]);
    const select = (): void => {
      const column = this.columns?.columnOf(choice.key);
      const has = ({ name }: Run): boolean => column !== undefined && Number.isFinite(numberIn(column, name));
      const best = runs.rows.peek().filter(has).slice(0, count);
      runs.selectShown(best.map(({ name }) => name));
    };
    this.stopSelecting = effect(() => {
      const isOther = columnKey(runs.sort.value) !== choice.key; // chosen meanwhile
      if (!isOther && this.isSorting.value) return;
      queueMicrotask(() => {
        this.stopSelecting(); // the list has its order by now
        if (!isOther) untracked(select);
      });
    });
  }

  private stopSelecting: () => void = () => undefined;

  /** The orders that a chart with more lines than it draws offers. */
  orders(runs: Runs): Drawing['orders'] {
    const best = this.bestOf(runs);
    const newest = {
      text: words(this.page, 'order.newest'),
      isChosen: runs.sort.value.join() === 'time',
      choose: () => runs.sort.set(['time']),
    };
    if (!best) return [newest];
    const key = `${best.isDown ? '-' : '+'}${best.key}`;
    return [
      newest,
      {
        text: words(this.page, 'order.best', { metric: best.title }),
        isChosen: runs.sort.value[0] === key,
        choose: () => runs.sort.set([key]),
      },
    ];
  }
}

/** A number in as many digits as there is room for. */
function brief<C extends Cell>(value: C): C | number {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}

function numberIn(column: ShownColumn, run: string): number {
  const value = cellOf(column, run);
  return typeof value === 'number' ? value : NaN;
}

interface SparkProps extends Pick<RunGroup, 'color' | 'dash'> {
  /** Of the runs of the group, the smallest first. */
  readonly values: Float64Array;
  /** From the smallest to the largest value of all groups. */
  readonly range: readonly [number, number];
}

const [WIDTH, HEIGHT, INSIDE] = [30, 16, 1]; // pixels
const POINTS = 15; // of a line: those of more runs are too near to each other

/** The values of a group in the order of their size, as a small line; a flat one of one run. */
export function Spark({ color, dash, values, range: [low, high] }: SparkProps) {
  const last = values.length - 1;
  const count = Math.min(POINTS, Math.max(2, values.length));
  const points = Array.from({ length: count }, (_, at) => {
    const value = values[Math.round((at / (count - 1)) * last)] ?? NaN;
    const share = high > low ? (value - low) / (high - low) : 0.5;
    const x = INSIDE + (at / (count - 1)) * (WIDTH - 2 * INSIDE);
    return `${x.toFixed(1)},${(HEIGHT - INSIDE - share * (HEIGHT - 2 * INSIDE)).toFixed(1)}`;
  });
  return (
    <svg class="ih-spark" width={WIDTH} height={HEIGHT} aria-hidden="true">
      <polyline points={points.join(' ')} stroke={color} stroke-dasharray={dash.join(' ')} />
    </svg>
  );
}

/** The bar of a run's value next to its name: the value in the column that the list is sorted by. */
export function Beside({ run }: { readonly run: Run }) {
  const metric = usePage().runs.metric.value;
  if (!metric) return null;
  const share = metric.shareOf(metric.valueOf(run.name));
  return (
    <span class="ih-run-metric ih-barred" title={metric.title}>
      {metric.textOf(run.name)}
      {share !== null && (
        <i class="ih-bar">
          <b style={{ background: run.color, width: `${100 * share}%` }} />
        </i>
      )}
    </span>
  );
}
