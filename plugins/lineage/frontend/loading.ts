/** Reads the table of runs: at first, when data change, and when more columns are needed. */
import { computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import { message } from '@insight-host/kit';
import type { Disposer, PluginContext } from '@insight-host/api';
import type { ColumnInfo, Frame } from '@insight-host/kit/runs';
import type { ColumnsAnswer } from './answers';
import { loadColumns, loadFrame } from './source';

const REST = 1000; // ms between two questions while data change

export class Loading {
  /** Which columns there are. */
  readonly listing = signal<ColumnsAnswer | null>(null);
  readonly frame = signal<Frame | null>(null);
  readonly failure = signal<string | null>(null);
  readonly busy = signal(false);
  /** How often the table was read. */
  readonly version = signal(0);

  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  /** Data changed while they were read: an answer is shown before the next question, however fast they change. */
  private due = false;
  private last = 0;

  /** `neededOf` names the columns to read, of those that there are. */
  constructor(
    private readonly ctx: PluginContext,
    private readonly visible: ReadonlySignal<boolean>,
    private readonly neededOf: (columns: readonly ColumnInfo[]) => readonly string[],
  ) {}

  start(): Disposer {
    let first = true;
    let before: readonly string[] | null = null;
    const stops = [
      this.ctx.generation.subscribe(() => (first ? (first = false) : this.schedule())),
      effect(() => {
        if (this.visible.value && untracked(() => this.frame.value)) this.schedule();
      }),
      effect(() => {
        const { value: needed } = this.needed;
        if (before && needed !== before) untracked(() => void this.load());
        before = needed;
      }),
    ];
    void this.load();
    return () => {
      for (const stop of stops) stop();
      clearTimeout(this.timer);
    };
  }

  /** While another tab is in front nothing is asked; coming back asks. */
  private schedule(): void {
    if (!this.visible.peek()) return;
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        if (this.busy.peek()) this.due = true;
        else void this.load();
      },
      Math.max(0, REST - (Date.now() - this.last)),
    );
  }

  async load(): Promise<void> {
    const mine = ++this.asked;
    this.busy.value = true;
    try {
      const listing = await loadColumns(this.ctx);
      if (mine !== this.asked) return;
      this.listing.value = listing; // may change the query, which requests again
      if (mine !== this.asked) return;
      const frame = await loadFrame(this.ctx, this.needed.peek() ?? [], listing.columns);
      if (mine !== this.asked) return;
      this.frame.value = frame;
      this.version.value++;
      this.failure.value = null;
    } catch (error) {
      if (!this.ctx.signal.aborted && mine === this.asked) this.failure.value = message(error);
    } finally {
      this.last = Date.now();
      if (mine === this.asked) {
        this.busy.value = false;
        if (this.due) {
          this.due = false;
          this.schedule();
        }
      }
    }
  }

  /** The same array while the names are the same. */
  private readonly needed = computed<readonly string[] | null>((): readonly string[] | null => {
    const columns = this.listing.value?.columns;
    if (!columns) return null;
    const next = this.neededOf(columns);
    const before = this.neededBefore;
    return before && before.length === next.length && before.every((name, at) => name === next[at])
      ? before
      : (this.neededBefore = next);
  });
  private neededBefore: readonly string[] | null = null;
}
