/** The runs as every view sees them: with colour, filtered, sorted, selected. */
import { computed, type ReadonlySignal } from '@preact/signals';
import type { Run, Theme } from 'insight-host';
import { choiceCodec, textCodec } from './codecs';
import { type Annotations, NO_ANNOTATION } from './annotations';
import { assignHues, cssColor } from './colors';
import { nameFilter, type Sort, sortRows } from './filter';
import { type Selection, selectedNames, selectionCodec, selectionOf } from './selection';
import type { ViewUrl } from './url';

export interface RunRow {
  readonly name: string;
  readonly dialects: readonly string[];
  readonly start_time: number | null;
  readonly loading: boolean;
  readonly damage: number;
}

export class Runs {
  private readonly selection;
  readonly filterText;
  readonly sort;
  readonly all: ReadonlySignal<readonly Run[]>;
  readonly filter;
  /** What the list shows: filtered and sorted. */
  readonly rows: ReadonlySignal<readonly Run[]>;
  readonly selectedSet: ReadonlySignal<ReadonlySet<string>>;
  readonly selected: ReadonlySignal<readonly Run[]>;
  /** The default selection leaves out runs. */
  readonly limited: ReadonlySignal<boolean>;

  constructor(
    table: ReadonlySignal<{ readonly runs: readonly RunRow[] } | null>,
    annotations: Annotations['byRun'],
    mode: ReadonlySignal<Theme['mode']>,
    url: ViewUrl,
  ) {
    this.selection = url.state<Selection>('runs', selectionCodec);
    this.filterText = url.state('filter', textCodec);
    this.sort = url.state<Sort>('sort', choiceCodec<Sort>(['time', 'name'], 'time'));

    const rows = computed(() => table.value?.runs ?? []);
    const names = distinct(computed(() => rows.value.map((row) => row.name)));
    const hues = computed(() => assignHues(names.value));
    let before = new Map<string, Run>();
    this.all = distinct(
      computed(() => {
        const after = new Map<string, Run>();
        for (const row of rows.value) {
          const hue = hues.value.get(row.name);
          const annotation = annotations.value.get(row.name) ?? NO_ANNOTATION;
          const run: Run = {
            ...annotation,
            name: row.name,
            displayName: annotation.displayName || row.name,
            color: hue ? cssColor(hue, mode.value) : 'currentColor',
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
    this.filter = computed(() => nameFilter(this.filterText.value));
    this.rows = computed(() => sortRows(this.all.value.filter(({ name, displayName }) => this.filter.value.matches(name) || (displayName !== name && this.filter.value.matches(displayName))), this.sort.value));
    this.selectedSet = computed(() => selectedNames(this.selection.value, this.all.value));
    this.selected = distinct(computed(() => this.all.value.filter((run) => this.selectedSet.value.has(run.name))));
    this.limited = computed(() => this.selection.value.kind === 'default' && this.selected.value.length < this.all.value.length);
  }

  select(names: Iterable<string>): void {
    const wanted = new Set(names);
    const chosen = selectionOf(wanted, this.all.value);
    if (chosen.kind !== 'list') return this.selection.set(chosen);
    // Runs named by a link and not loaded yet stay chosen.
    const known = new Set(this.all.value.map((run) => run.name));
    const before = this.selection.value;
    const unseen = before.kind === 'list' ? before.names.filter((name) => !known.has(name)) : [];
    this.selection.set({ kind: 'list', names: [...chosen.names, ...unseen] });
  }
}

function same(left: Run, right: Run): boolean {
  return (
    left.color === right.color &&
    left.displayName === right.displayName &&
    left.note === right.note &&
    left.remark === right.remark &&
    left.mark === right.mark &&
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
