import { computed, signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Run } from '@insight-host/api';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import type { Lists } from './lists';
import { relativeToEnd } from './landscape';
import type { Loads } from './loads';
import { itemOf, type Item } from './plan';

const PORTION = 12; // landscapes side by side until more are asked for

/** The final landscapes of several runs. */
export class Compared {
  private readonly count = signal(PORTION);
  private readonly wantedFront: Setting<string | null>;

  /** `runs`: those that have landscapes. */
  constructor(
    page: Page,
    private readonly runs: Live<readonly Run[]>,
    private readonly lists: Lists,
    private readonly loads: Loads,
    private readonly relative: Live<boolean>,
  ) {
    this.wantedFront = page.setting('front', codecs.name);
  }

  /** Of the selected runs the final landscape of each. */
  readonly finals = computed(() =>
    this.runs.value.flatMap((run) => {
      const entry = this.lists.byRun.value.get(run.name)?.find(({ kind }) => kind === 'final');
      return entry ? [{ run, entry }] : [];
    }),
  );
  /** Those that are shown so far. */
  readonly shown = computed(() =>
    this.finals.value
      .slice(0, this.count.value)
      .map(({ run, entry }) => ({ run, entry, loaded: this.loads.of(run.name, entry) })),
  );
  readonly items = computed<readonly Item[]>(() =>
    this.shown.value.flatMap(({ run, loaded }) =>
      loaded && 'landscape' in loaded
        ? [itemOf(run, this.relative.value ? relativeToEnd(loaded.landscape) : loaded.landscape)]
        : [],
    ),
  );
  /** Whether more landscapes follow those that are here already. */
  readonly isComing = computed(() => this.items.value.length > 0 && this.shown.value.some(({ loaded }) => !loaded));
  /** Of the landscapes upon each other, the one that has the colour map. */
  readonly front = computed<string | null>(
    () => (this.items.value.find(({ run }) => run === this.wantedFront.value) ?? this.items.value[0])?.run ?? null,
  );

  bringToFront(run: string): void {
    this.wantedFront.set(run);
  }

  more(): void {
    this.count.value += PORTION;
  }
}
