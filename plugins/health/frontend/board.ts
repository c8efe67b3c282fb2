/** What the tab shows: its settings in the URL, and the map, asked for again until every record was read. */
import type { RunChoice } from '@insight-host/api';
import { codecs, message, portions, type Page } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { batch, computed, signal } from '@preact/signals';
import { KINDS, mapOf, MEASURES, VIEWS, type HeatMap, type Kind, type Measure, type View } from './answer';
import { spanCodec, type Span } from './span';

const APART = 2000; // ms between two looks at data that grow
const SOON = 60; // ms until more of the records are asked for
const SETTLED = 120; // ms without a move until finer cells are asked for
const MOST_RUNS = 256; // of an answer
const STEP = 128; // columns are asked for in multiples of it
const FINEST = 4096; // columns of an answer

/** What the user chose, in the URL. */
function healthSettings(page: Page) {
  return {
    view: page.setting('view', codecs.choice<View>(VIEWS, 'layers')),
    measure: page.setting('measure', codecs.choice<Measure>(MEASURES, 'size')),
    kind: page.setting('kind', codecs.choice<Kind>(KINDS, 'all')),
    /** Whether layers by steps are of all runs: of each cell the extreme one. */
    all: page.setting('all', codecs.flag(false)),
    /** Id of the layer that is selected. */
    layer: page.setting('layer', codecs.name),
    /** The step that is selected. */
    at: page.setting('at', codecs.name),
    /** What is in sight of the columns and rows; null: all. */
    x: page.setting('x', spanCodec, SETTLED),
    y: page.setting('y', spanCodec, SETTLED),
  };
}

export class HealthBoard {
  /** The whole map in as many columns as there is room for. */
  readonly map = signal<HeatMap | null>(null);
  /** A part of it with more columns. */
  readonly detail = signal<HeatMap | null>(null);
  readonly busy = signal(false);
  readonly failure = signal('');
  /** Runs that one answer can be about; the one that is shown is among them. */
  readonly runs = computed(() => {
    const one = this.shown.value;
    const listed = this.page.inPanelOrder(this.page.runs.value);
    const names = listed.flatMap(({ name }) => (name === one ? [] : name));
    return (portions(one === null ? names : [one, ...names])[0] ?? []).slice(0, MOST_RUNS);
  });
  /** Whether runs have layers, as far as that was asked. */
  private readonly known = signal<ReadonlyMap<string, boolean>>(new Map());
  /** That of the first bad layer. */
  private readonly worst = signal<string | null>(null);
  /** What the run panel offers: one run with layers; null where the map is of many. */
  readonly choice = computed<RunChoice | null>(() => {
    if (!this.isOfOne) return null;
    const listed = this.page.inPanelOrder(this.page.allRuns.value);
    const names = listed.flatMap(({ name }) => (this.known.value.get(name) === false ? [] : name));
    const sure = (name: string): number => (name === this.worst.value ? 2 : this.known.value.get(name) ? 1 : 0);
    return { among: [...names].sort((a, b) => sure(b) - sure(a)) };
  });
  /** The run whose layers the map shows; null: several. */
  private readonly shown = computed<string | null>(() => {
    const offered = new Set(this.choice.value?.among);
    return this.page.oneOf(this.page.runs.value.filter(({ name }) => offered.has(name)))?.name ?? null;
  });

  private width = 0;
  private asking: AbortController | null = null;
  private readonly again = new Spaced(APART, () => void this.ask());
  private timer: ReturnType<typeof setTimeout> | undefined;
  private settling: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly page: Page,
    readonly settings: ReturnType<typeof healthSettings> = healthSettings(page),
  ) {
    const { view, measure, kind, all, layer, x, y } = settings;
    page.linkedRun('rank');
    const soon = (): void => void this.ask();
    page.onChange(page.ctx.runs.selected, soon);
    page.onChange(page.ctx.visible, soon);
    page.onChange(page.ctx.generation, () => this.again.ask());
    page.onChange(view, () => {
      x.set(null);
      y.set(null);
      this.turned();
    });
    page.onChange(kind, () => {
      y.set(null);
      this.turned();
    });
    page.onChange(measure, () => this.turned());
    page.onChange(all, () => this.turned());
    page.onChange(page.ctx.runs.one, () => this.isOfOne && this.turned());
    page.onChange(layer, () => view.peek() === 'ranks' && this.turned());
    page.onChange(x, () => {
      clearTimeout(this.settling);
      this.settling = setTimeout(soon, SETTLED);
    });
    page.until(() => {
      clearTimeout(this.timer);
      clearTimeout(this.settling);
      this.again.cancel();
      this.asking?.abort();
    });
  }

  /** Tells for how many pixels columns are drawn; the first call asks for the map. */
  drawnAcross(width: number): void {
    const before = this.width;
    this.width = Math.max(2 * STEP, Math.ceil(width / STEP) * STEP);
    if (this.width !== before) void this.ask();
  }

  async ask(): Promise<void> {
    this.asking?.abort();
    clearTimeout(this.timer);
    const { ctx } = this.page;
    const runs = this.runs.peek();
    if (!ctx.visible.value || this.width === 0) return;
    if (runs.length === 0) {
      this.map.value = this.detail.value = null;
      return;
    }
    const { signal: stopped } = (this.asking = new AbortController());
    this.busy.value = true;
    try {
      const query = this.query(runs);
      const get = async (more: Readonly<Record<string, number>>): Promise<HeatMap> =>
        mapOf(await ctx.data.columns('map', { ...query, ...more }, { signal: stopped }));
      const map = await get({ columns: Math.min(FINEST, this.width) });
      if (stopped.aborted) return;
      this.learn(runs, map);
      if (stopped.aborted) return; // another run is shown by what is known now
      if (this.query(this.runs.peek()).rank !== query.rank) return await this.ask();
      this.map.value = map;
      this.failure.value = '';
      const part = finer(map, this.settings.x.peek());
      const detail = part && (await get({ ...part, columns: Math.min(FINEST, 3 * this.width) }));
      if (stopped.aborted) return;
      this.detail.value = detail;
      this.busy.value = false;
      if (map.read < map.records) this.timer = setTimeout(() => void this.ask(), SOON);
    } catch (cause) {
      if (stopped.aborted) return;
      this.busy.value = false;
      this.failure.value = message(cause);
    }
  }

  /** Shows the step of a fault in its row. */
  show(fault: { readonly layer: string; readonly run: string; readonly kind: Kind; readonly step: number }): void {
    const { view, kind, all, layer, at } = this.settings;
    if (kind.peek() !== 'all' && kind.peek() !== fault.kind) kind.set('all');
    if (view.peek() !== 'layers') view.set('layers');
    if (!all.peek()) this.page.ctx.runs.one.set(fault.run);
    layer.set(fault.layer);
    at.set(String(fault.step), 'push');
  }

  private get isOfOne(): boolean {
    return this.settings.view.value === 'layers' && !this.settings.all.value;
  }

  /** Remembers which of these runs have layers, and which one went bad first. */
  private learn(runs: readonly string[], map: HeatMap): void {
    const having = new Set(map.all_runs);
    batch(() => {
      if (runs.some((run) => this.known.value.get(run) !== having.has(run)))
        this.known.value = new Map([...this.known.value, ...runs.map((run) => [run, having.has(run)] as const)]);
      this.worst.value ??= map.faults[0]?.run ?? null;
    });
  }

  private query(runs: readonly string[]) {
    const { view, measure, kind, layer } = this.settings;
    const [shown, one] = [view.peek(), this.shown.peek()];
    return {
      run: runs,
      view: shown,
      measure: measure.peek(),
      kind: kind.peek(),
      rank: one !== null && this.known.peek().get(one) ? one : undefined,
      layer: shown === 'ranks' ? layer.peek() : undefined,
    };
  }

  /** Another map: what was in sight of the last one means nothing. */
  private turned(): void {
    this.detail.value = null;
    void this.ask();
  }
}

/** The places of the steps that are to be asked for in more columns: what is in sight, and as much to both sides. */
export function finer(map: HeatMap, sight: Span | null): { readonly begin: number; readonly end: number } | null {
  if (sight === null || map.view === 'matrix' || map.columns >= map.steps) return null;
  const length = sight.to - sight.from;
  return {
    begin: Math.max(0, Math.floor(sight.from - length)),
    end: Math.min(map.steps, Math.ceil(sight.to + length)),
  };
}
