/** The landscapes that are shown: how they are read, the one that is analysed, those side by side. */
import type { Run } from '@insight-host/api';
import { codecs, message, type Page, type Setting } from '@insight-host/kit';
import { RequestQueue } from '@insight-host/kit/lab';
import { computed, signal, type ReadonlySignal as Live } from '@preact/signals';
import {
  decoded,
  isDamaged,
  relativeToEnd,
  type Landscape,
  type Listed,
  type Lists,
  type TrainingPath,
} from './landscape';
import { itemOf, type Item } from './plan';

const AT_ONCE = 4; // requests

type Loaded = { readonly landscape: Landscape } | { readonly error: string };

/** The landscapes themselves: each is asked for when it is first looked at. */
export class Loads {
  private readonly all = signal<ReadonlyMap<string, Loaded>>(new Map());
  private readonly requested = new Set<string>();
  private readonly queue = new RequestQueue(AT_ONCE);

  constructor(private readonly page: Page) {
    page.onChange(page.ctx.changes, ({ series }) => {
      // Also files with more data of a shown run: keep the current data until the new answer arrives.
      for (const key of this.requested)
        if (!series || series[(JSON.parse(key) as readonly string[])[0] ?? '']) this.requested.delete(key);
    });
  }

  /** What is known of a landscape. */
  of(run: string, entry: Listed): Loaded | null {
    if (isDamaged(entry)) return { error: this.page.reason(entry) };
    const key = JSON.stringify([run, entry.id, entry.tag, entry.step, entry.wall_time]);
    const found = this.all.value.get(key);
    if (!found && !this.requested.has(key)) {
      this.requested.add(key);
      void this.load(key, run, entry.id);
    }
    return found ?? null;
  }

  /** Asks again for what could not be loaded. */
  retry(): void {
    const left = new Map([...this.all.value].filter(([, loaded]) => 'landscape' in loaded));
    this.requested.clear();
    for (const key of left.keys()) this.requested.add(key);
    this.all.value = left;
  }

  private async load(key: string, run: string, id: string): Promise<void> {
    const { data, signal: ended } = this.page.ctx;
    let loaded: Loaded;
    try {
      const query = { run, id, format: 'safetensors' };
      const ask = () => data.columns('landscape', query, { signal: ended });
      loaded = { landscape: decoded(await this.queue.run(() => 0, ended, ask)) };
    } catch (error) {
      if (ended.aborted) return;
      loaded = { error: message(error) };
    }
    this.all.value = new Map(this.all.value).set(key, loaded);
  }
}

const PACE = 1.5; // points of the path a second, at speed 1
const LONGEST = 12; // seconds that a whole path takes at most, at speed 1
export const SPEEDS = [0.5, 1, 2, 4] as const;

/** Where on the path of training the picture stands; without a word of the user at its end. */
export class Player {
  /** Index of a point of the path, or between two; Infinity is the end. */
  readonly progress = signal(Infinity);
  readonly playing = signal(false);
  readonly speed = signal<number>(1);
  private frame = 0;
  private before = 0;

  constructor(private readonly path: () => TrainingPath | null) {}

  get last(): number {
    return Math.max(0, (this.path()?.at.length ?? 1) - 1);
  }

  toggle(): void {
    if (this.playing.value) this.pause();
    else this.play();
  }

  play(): void {
    if (this.last === 0) return;
    if (this.progress.value >= this.last) this.progress.value = 0;
    this.playing.value = true;
    this.before = performance.now();
    this.frame = requestAnimationFrame(this.move);
  }

  pause(): void {
    cancelAnimationFrame(this.frame);
    this.playing.value = false;
  }

  /** To a place; at the end it stays when the path grows. */
  seek(progress: number): void {
    this.pause();
    this.progress.value = progress >= this.last ? Infinity : Math.max(0, progress);
  }

  reset(): void {
    this.pause();
    this.progress.value = Infinity;
  }

  /** Moves on by some ms; true until the end is reached. */
  advance(ms: number): boolean {
    const pace = Math.max(PACE, this.last / LONGEST) * this.speed.value;
    const next = Math.min(this.progress.value, this.last) + (pace * ms) / 1000;
    this.progress.value = next >= this.last ? Infinity : next;
    return next < this.last;
  }

  private readonly move = (now: number): void => {
    const going = this.advance(Math.min(200, now - this.before));
    this.before = now;
    if (going) this.frame = requestAnimationFrame(this.move);
    else this.playing.value = false;
  };
}

/** The landscape that is analysed, and the walk along its path. */
export class Chosen {
  private readonly wantedId: Setting<string | null>;
  readonly player = new Player(() => this.item.value?.landscape.path ?? null);

  /** `runs`: those that have landscapes. */
  constructor(
    private readonly page: Page,
    private readonly runs: Live<readonly Run[]>,
    private readonly lists: Lists,
    private readonly loads: Loads,
    private readonly relative: Live<boolean>,
  ) {
    page.linkedRun('run');
    this.wantedId = page.setting('interval', codecs.name);
    page.onChange(page.ctx.runs.one, () => this.player.reset());
    page.until(() => this.player.pause());
    page.until(page.visible.subscribe((visible) => !visible && this.player.pause()));
  }

  /** The one that the run panel chooses. */
  readonly run = computed<Run | null>(() => this.page.oneOf(this.runs.value) ?? null);
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
