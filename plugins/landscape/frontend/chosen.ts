import { computed, type ReadonlySignal as Live } from '@preact/signals';
import type { Run } from '@insight-host/api';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import { relativeToEnd, type Listed } from './landscape';
import type { Lists } from './lists';
import type { Loaded, Loads } from './loads';
import { itemOf, type Item } from './plan';
import { Player } from './player';

/** The landscape that is analysed, and the walk along its path. */
export class Chosen {
  private readonly wantedRun: Setting<string | null>;
  private readonly wantedId: Setting<string | null>;
  readonly player = new Player(() => this.item.value?.landscape.path ?? null);

  /** `runs`: those that have landscapes. */
  constructor(
    page: Page,
    private readonly runs: Live<readonly Run[]>,
    private readonly lists: Lists,
    private readonly loads: Loads,
    private readonly relative: Live<boolean>,
  ) {
    this.wantedRun = page.setting('run', codecs.name);
    this.wantedId = page.setting('interval', codecs.name);
    page.until(() => this.player.pause());
    page.until(page.visible.subscribe((visible) => !visible && this.player.pause()));
  }

  /** The run asked for, if it is selected, or the first. */
  readonly run = computed<Run | null>(
    () => this.runs.value.find(({ name }) => name === this.wantedRun.value) ?? this.runs.value[0] ?? null,
  );
  /** All landscapes of the run. */
  readonly entries = computed<readonly Listed[]>(() => this.lists.byRun.value.get(this.run.value?.name ?? '') ?? []);
  readonly entry = computed<Listed | null>(
    () => this.entries.value.find(({ id }) => id === (this.wantedId.value ?? '')) ?? this.entries.value[0] ?? null,
  );
  readonly state = computed<Loaded | null>(() =>
    this.run.value && this.entry.value ? this.loads.of(this.run.value.name, this.entry.value) : null,
  );
  /** null until it is loaded. */
  readonly item = computed<Item | null>(() => {
    const [run, state] = [this.run.value, this.state.value];
    return run && state && 'landscape' in state
      ? itemOf(run, this.relative.value ? relativeToEnd(state.landscape) : state.landscape)
      : null;
  });

  pickRun(name: string): void {
    this.player.reset();
    this.wantedRun.set(name);
  }

  pickEntry(id: string): void {
    this.player.reset();
    this.wantedId.set(id);
  }

  /** The next or the one before of the landscapes of the run. */
  step(by: 1 | -1): void {
    const entries = this.entries.value;
    const at = entries.findIndex((entry) => entry === this.entry.value);
    const next = entries[Math.max(0, Math.min(entries.length - 1, at + by))];
    if (next) this.pickEntry(next.id);
  }
}
