/** The runs as every view sees them: with colour, filtered, sorted, selected. */
import { computed, type ReadonlySignal, signal, type Signal } from '@preact/signals';
import type { ColorScale, Mutable, Run, RunGroup, Theme } from '@insight-host/api';
import { codecs } from '@insight-host/kit';
import { isExpression } from '@insight-host/kit/lab';
import type { ComponentType } from 'preact';
import { type Annotations, NO_ANNOTATION } from './annotations';
import { type LineLook, runLooks } from './colors';
import {
  expressionFilter,
  type Filter,
  type Matched,
  nameFilter,
  selectedNames,
  type Selection,
  selectionCodec,
  selectionOf,
  type SortKey,
  sortRows,
  withRows,
} from './selection';
import type { ViewUrl } from './url';

export interface RunRow {
  readonly name: string;
  readonly dialects: readonly string[];
  readonly start_time: number | null;
  readonly loading: boolean;
  readonly damage: number;
}

/** How a run looks, where it is not the default. */
export type RunLook = { readonly [P in keyof LineLook]: LineLook[P] | undefined };

interface RunLooks {
  readonly byName: ReadonlyMap<string, RunLook>;
  readonly scale: ColorScale | null;
}

/** The column that the list is sorted by, as it stands beside the names. */
export interface RunMetric {
  readonly title: string;
  readonly Beside: ComponentType<{ readonly run: Run }>;
  /** "" for a run without a value. */
  textOf(run: string): string;
  text(value: number): string;
  /** NaN for a run without a number. */
  valueOf(run: string): number;
  /** Where the bar of a value ends, from 0 to 1; null without bars. */
  shareOf(value: number): number | null;
}

const SOLID: readonly number[] = [];
const SETTLE = 250; // ms without a key before views follow the filter

export class Runs {
  private readonly selection;
  readonly filterText;
  /** What the runs are sorted by, the first key first. */
  readonly sort: Mutable<readonly SortKey[]>;
  /** What the host answered to the expression of the filter. */
  readonly matched = signal<Matched | null>(null);
  /** How the list is sorted in the end, where `sort` needs more than names and times. */
  readonly order = signal<((runs: readonly Run[]) => readonly Run[]) | null>(null);
  /** What the runs are grouped by, as `RunContext.groupBy` of the contract says. */
  readonly groupBy: Mutable<readonly string[]>;
  /** The groups of all runs, once what groups them is loaded. */
  readonly groups = signal<readonly RunGroup[]>([]);
  /** null unless the list is sorted by a column that is loaded. */
  readonly metric = signal<RunMetric | null>(null);
  /** The run that tabs about one run show. */
  readonly one: Mutable<string | null>;
  readonly names: ReadonlySignal<readonly string[]>;
  /** Whether archived runs are listed and drawn, too. */
  readonly withArchived: Mutable<boolean>;
  readonly archivedCount: ReadonlySignal<number>;
  readonly all: ReadonlySignal<readonly Run[]>;
  readonly filter: ReadonlySignal<Filter>;
  /** What the list shows: filtered and sorted. */
  readonly rows: ReadonlySignal<readonly Run[]>;
  /** Names of all selected runs, also of those that the filter hides. */
  readonly selectedSet: ReadonlySignal<ReadonlySet<string>>;
  /** What matches the filter once the user has stopped typing. */
  readonly shown: ReadonlySignal<readonly Run[]>;
  /** What views draw: selected runs that match the filter. */
  readonly selected: ReadonlySignal<readonly Run[]>;
  /** How many selected runs are not drawn because the filter hides them. */
  readonly hiddenCount: ReadonlySignal<number>;
  /** Names of selected runs, as links have them, that are not there, or not loaded yet. */
  readonly gone: ReadonlySignal<readonly string[]>;
  /** Places of all runs in the order of the list: charts draw the first ones. */
  readonly places: ReadonlySignal<ReadonlyMap<string, number>>;

  constructor(
    table: ReadonlySignal<{ readonly runs: readonly RunRow[] } | null>,
    annotations: Pick<Annotations, 'byRun' | 'archived'>,
    mode: ReadonlySignal<Theme['mode']>,
    url: ViewUrl,
    /** How runs look, unless each has a colour of its own. */
    readonly looks: Signal<RunLooks | null> = signal(null),
  ) {
    this.withArchived = url.state('archived', codecs.flag(false));
    this.archivedCount = computed(() => names.value.filter((name) => annotations.archived.value.has(name)).length);
    this.selection = url.state<Selection>('runs', selectionCodec);
    this.filterText = url.state('filter', codecs.text);
    this.groupBy = url.state('group', codecs.names);
    this.one = url.state('run', codecs.name);
    this.sort = url.state<readonly SortKey[]>('sort', {
      parse: (text) => (text ? codecs.names.parse(text) : ['time']),
      format: (keys) => (keys.join() === 'time' ? null : codecs.names.format(keys)),
    });

    const rows = computed(() => table.value?.runs ?? []);
    const names = (this.names = distinct(computed(() => rows.value.map((row) => row.name))));
    const own = computed(() => runLooks(names.value, mode.value));
    let before = new Map<string, Run>();
    this.all = distinct(
      computed(() => {
        const after = new Map<string, Run>();
        for (const row of rows.value) {
          const look = this.looks.value?.byName.get(row.name);
          const archived = annotations.archived.value.has(row.name);
          if (archived && !this.withArchived.value) continue;
          const annotation = annotations.byRun.value.get(row.name) ?? NO_ANNOTATION;
          const run: Run = {
            ...annotation,
            archived,
            name: row.name,
            displayName: annotation.displayName || row.name,
            color: look?.color ?? own.value.get(row.name)?.color ?? 'currentColor',
            dash: look?.dash ?? (look?.color ? SOLID : (own.value.get(row.name)?.dash ?? SOLID)),
            dialects: row.dialects,
            startTime: row.start_time,
            loading: row.loading,
            damage: row.damage,
          };
          const old = before.get(row.name);
          after.set(row.name, old && same(old, run) ? old : run);
        }
        before = after;
        return [...after.values()];
      }),
    );
    this.filter = computed(() => {
      const { value: text } = this.filterText;
      return isExpression(text) ? expressionFilter(text, this.matched.value) : nameFilter(text);
    });
    const base = computed(() => this.sort.value.find((key) => key === 'name' || key === 'time'));
    const inBase = computed(() => sortRows(this.all.value, base.value === 'name' ? 'name' : 'time'));
    const sorted = computed(() => this.order.value?.(inBase.value) ?? inBase.value);
    this.rows = computed(() => sorted.value.filter(this.filter.value.matches));
    const settled = signal(this.filter.value);
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.filter.subscribe((filter) => {
      clearTimeout(timer);
      if (filter !== settled.peek()) timer = setTimeout(() => (settled.value = filter), SETTLE);
    });
    this.shown = distinct(computed(() => this.all.value.filter(settled.value.matches)));
    this.selectedSet = computed(() => selectedNames(this.selection.value, this.all.value));
    this.selected = distinct(computed(() => this.shown.value.filter((run) => this.selectedSet.value.has(run.name))));
    this.hiddenCount = computed(() => this.selectedSet.value.size - this.selected.value.length);
    this.gone = computed(() => {
      const { value: selection } = this.selection;
      const known = new Set(names.value);
      return selection.kind === 'list' ? selection.names.filter((name) => !known.has(name)) : [];
    });
    this.places = computed(() => new Map(sorted.value.map((run, at) => [run.name, at])));
  }

  /** Selects exactly these among the runs that views see; runs that the filter hides stay as they are. */
  selectShown(names: Iterable<string>): void {
    this.select([...withRows(this.selectedSet.peek(), this.shown.peek(), false), ...names]);
  }

  /** Drops selected runs that are not there. */
  forgetGone(): void {
    this.selection.set({ kind: 'list', names: [...this.selectedSet.peek()] });
  }

  /** Selects one run alone, and shows it. */
  selectOnly(run: Run): void {
    if (!this.rows.peek().includes(run)) this.filterText.set('');
    this.select([run.name]);
  }

  select(names: Iterable<string>): void {
    this.selection.set(selectionOf(new Set(names), this.all.value, this.selection.value));
  }
}

function same(left: Run, right: Run): boolean {
  return (
    left.color === right.color &&
    left.dash === right.dash &&
    left.displayName === right.displayName &&
    left.note === right.note &&
    left.remark === right.remark &&
    left.mark === right.mark &&
    left.archived === right.archived &&
    left.startTime === right.startTime &&
    left.loading === right.loading &&
    left.damage === right.damage &&
    left.dialects.join() === right.dialects.join()
  );
}

/** Keeps the old array while its elements are the same, so that nothing downstream wakes up. */
function distinct<T>(source: ReadonlySignal<readonly T[]>): ReadonlySignal<readonly T[]> {
  let kept: readonly T[] = [];
  return computed(() => {
    const next = source.value;
    if (next.length !== kept.length || next.some((item, at) => item !== kept[at])) kept = next;
    return kept;
  });
}
