import { computed, signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Page } from '@insight-host/kit';
import type { Frame } from '@insight-host/kit/runs';
import type { Rows } from './rows';

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
