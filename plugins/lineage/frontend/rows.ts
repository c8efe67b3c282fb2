import type { Run } from '@insight-host/api';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import { orderBy, orderOf, startsDown, type Column, type Frame } from '@insight-host/kit/runs';
import { sortOf, sortText, turned } from '@insight-host/kit/table';
import { computed, signal, type ReadonlySignal as Live } from '@preact/signals';
import { applyBrushes, conditionsOf, type Brushing } from './brushes';
import type { RunPanel } from './host_columns';
import { LONGEST } from './source';

interface Conditions {
  readonly text: string | null;
  readonly where: string | null;
  readonly whole: boolean;
}

/** Which rows are shown, in which order and in which groups. */
export class Rows {
  readonly sorts: Setting<readonly string[]>;
  readonly hidden: Setting<readonly string[]>;
  readonly onlySelected: Setting<boolean>;
  readonly closedGroups = signal<ReadonlySet<string>>(new Set());
  private readonly listed: Live<readonly Run[]>;

  /** `selected`: names of the runs that are selected in the whole page; `table`: columns that are shown. */
  constructor(
    private readonly page: Page,
    private readonly frame: Live<Frame | null>,
    private readonly brushing: Brushing,
    private readonly selected: Live<ReadonlySet<string>>,
    private readonly table: Live<readonly Column[]>,
    private readonly panel: RunPanel,
  ) {
    this.sorts = page.setting('sort', codecs.names);
    this.hidden = page.setting('hidden', codecs.names);
    this.onlySelected = page.setting('only', codecs.flag(false));
    this.listed = page.follow(page.ctx.runs.shown);
  }

  /** The runs that the run list and `onlySelected` leave; null where those are all. */
  private readonly within = computed<ReadonlySet<string> | null>(() => {
    if (this.onlySelected.value) return this.selected.value;
    return this.listed.value.length < (this.frame.value?.rows ?? 0) // archived runs are in the frame only
      ? new Set(this.listed.value.map((run) => run.name))
      : null;
  });
  private readonly order = computed(() => {
    const { value: frame } = this.frame;
    if (!frame) return new Int32Array();
    if (this.sorts.value.length > 0) return orderOf(frame, this.sorts.value);
    const { value: places } = this.panel.places;
    const key = Float64Array.from(frame.runs, (run) => places.get(run) ?? NaN);
    return emptyLast(orderBy(frame.rows, [{ key, sign: 1 }]), this.table.value);
  });
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
    return mask;
  });
  /** Rows that are shown: 1 by row. */
  readonly mask = computed<Uint8Array>(() => {
    const mask = this.candidates.value.slice();
    if (this.frame.value) applyBrushes(this.frame.value, this.brushing.all.value, mask);
    return mask;
  });
  /** Rows that are shown, in their order. */
  readonly shown = computed<Int32Array>(() => {
    const { value: mask } = this.mask;
    return this.order.value.filter((row) => mask[row] === 1);
  });
  /**
   * The rows that are shown as conditions of `filter=`, null where that is all of them. Where their names need too much
   * room, `where` is the filter of the run list. `whole`: nothing is left out for want of room.
   */
  readonly conditions = computed<Conditions>(() => {
    const { value: frame } = this.frame;
    const brushed = frame ? conditionsOf(frame, this.brushing.all.value) : {};
    const hidden = this.hidden.value.filter((run) => frame?.rowOf.has(run));
    const rows = {
      ...(hidden.length > 0 ? { not_in: hidden } : {}),
      ...(this.within.value ? { in: [...this.within.value] } : {}),
    };
    const all = Object.keys(rows).length > 0 ? { ...brushed, run: rows } : brushed;
    const text = JSON.stringify(all);
    const fits = (one: string): boolean => encodeURIComponent(one).length <= LONGEST;
    const given = (one: string): string | null => (one === '{}' ? null : one);
    if (fits(text)) return { text: given(text), where: null, whole: true };
    const { value: expression } = this.panel.expression;
    if (expression !== null && !this.onlySelected.value) {
      const archived = frame?.runs.filter((run) => !this.page.runsByName.value.has(run)) ?? [];
      const without = [...new Set([...hidden, ...archived])];
      const rest = JSON.stringify(without.length > 0 ? { ...brushed, run: { not_in: without } } : brushed);
      if (fits(rest)) return { text: given(rest), where: expression, whole: true };
    }
    return { text: given(JSON.stringify(brushed)), where: null, whole: false };
  });
  /** The group that a row is in; null without groups. */
  readonly groups = computed(() => {
    const downwards = this.sorts.value.map(sortOf).flatMap(({ key, down }) => (down ? key : []));
    return this.panel.stepsOf(this.frame.value?.runs ?? [], downwards);
  });

  /** The best first, the other way round, not at all; `more` keeps what it was sorted by before. */
  turnSort(name: string, more: boolean): void {
    const column = this.frame.value?.columns.get(name);
    const isDown = column !== undefined && startsDown(column);
    this.sorts.set(turned(this.sorts.value.map(sortOf), name, more, isDown, true).map(sortText));
  }

  toggleGroup(id: string): void {
    const next = new Set(this.closedGroups.value);
    if (!next.delete(id)) next.add(id);
    this.closedGroups.value = next;
  }

  showAll(): void {
    this.hidden.set([]);
    this.onlySelected.set(false);
  }
}

/** Rows that say nothing in any of these columns come last. */
function emptyLast(rows: Int32Array, columns: readonly Column[]): Int32Array {
  const values = columns
    .filter(({ group }) => group !== 'annotation' && group !== 'run')
    .map((column) => column.values);
  if (values.length === 0) return rows;
  const says = rows.map((row) => Number(values.some((own) => (own[row] ?? null) !== null)));
  return Int32Array.from([...rows.filter((_, at) => says[at]), ...rows.filter((_, at) => !says[at])]);
}

/** The runs that are selected in the whole page. */
export class Selection {
  constructor(
    private readonly page: Page,
    readonly names: Live<ReadonlySet<string>>,
    private readonly frame: Live<Frame | null>,
    private readonly rows: Rows,
  ) {}

  /** Names of the runs of the rows that are shown, in their order. */
  private readonly shown = computed<readonly string[]>(() => {
    const { value: frame } = this.frame;
    return frame ? Array.from(this.rows.shown.value, (row) => frame.runs[row] as string) : [];
  });
  /** Those of shown rows that are selected, in the order of the rows. */
  readonly ticked = computed<readonly string[]>(() => this.shown.value.filter((run) => this.names.value.has(run)));

  toggle(run: string): void {
    const next = new Set(this.names.value);
    if (!next.delete(run)) next.add(run);
    this.page.ctx.runs.select([...next]);
  }

  /** Selects these runs, too, or no longer. */
  set(runs: readonly string[], on: boolean): void {
    const next = new Set(this.names.value);
    for (const run of runs) {
      if (on) next.add(run);
      else next.delete(run);
    }
    this.page.ctx.runs.select([...next]);
  }

  /** Selects exactly what is shown. */
  selectShown(): void {
    if (this.frame.value) this.page.ctx.runs.select(this.shown.value);
  }

  /** Selects exactly the runs of these rows. */
  only(rows: Int32Array): void {
    const { value: frame } = this.frame;
    if (frame) this.page.ctx.runs.select(Array.from(rows, (row) => frame.runs[row] as string));
  }

  /** Hides rows. */
  hide(which: 'selected' | 'others'): void {
    const { hidden } = this.rows;
    const gone = this.shown.value.filter((run) => this.names.value.has(run) === (which === 'selected'));
    if (this.frame.value) hidden.set([...new Set([...hidden.value, ...gone])]);
  }

  /** Plots the selected runs among those shown, in the tab of scalars. */
  plot(): void {
    this.page.ctx.runs.select(this.ticked.value);
    this.page.ctx.open('scalar');
  }
}

export const MOST_COMPARED = 10; // runs side by side

/** A run that waits for another, with which it is compared. */
export class Comparison {
  readonly first = signal<string | null>(null);

  constructor(private readonly open: (runs: readonly string[]) => void) {}

  /** Compares the run that waits with this one; false if none waits. The same run again waits no longer. */
  pick(run: string): boolean {
    const { value: first } = this.first;
    if (first === null) return false;
    this.first.value = null;
    if (run !== first) this.open([first, run]);
    return true;
  }
}
