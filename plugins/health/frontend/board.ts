/** What the tab shows: its settings in the URL, and the map, asked for again until every record was read. */
import { codecs, message, portions, type Page } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { computed, signal } from '@preact/signals';
import { KINDS, mapOf, MEASURES, VIEWS, type HeatMap, type Kind, type Measure, type View } from './answer';
import { spanCodec, type Span } from './span';

const APART = 2000; // ms between two looks at data that grow
const SOON = 60; // ms until more of the records are asked for
const SETTLED = 120; // ms without a move until finer cells are asked for
const MOST_RUNS = 256; // of an answer
const STEP = 128; // columns are asked for in multiples of it
const FINEST = 4096; // columns of an answer

/** What the user chose, in the URL. */
export function healthSettings(page: Page) {
  return {
    view: page.setting('view', codecs.choice<View>(VIEWS, 'layers')),
    measure: page.setting('measure', codecs.choice<Measure>(MEASURES, 'size')),
    kind: page.setting('kind', codecs.choice<Kind>(KINDS, 'all')),
    /** The run that is shown; null: the extreme one of all. */
    rank: page.setting('rank', codecs.name),
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
  /** Runs that one answer can be about. */
  readonly runs = computed(() => {
    const names = this.page.runs.value.map(({ name }) => name);
    return (portions(names)[0] ?? []).slice(0, MOST_RUNS);
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
    const { view, measure, kind, rank, layer, x, y } = settings;
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
    page.onChange(rank, () => this.turned());
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
    const { view, kind, rank, layer, at } = this.settings;
    if (kind.peek() !== 'all' && kind.peek() !== fault.kind) kind.set('all');
    if (rank.peek() !== null && rank.peek() !== fault.run) rank.set(fault.run);
    if (view.peek() !== 'layers') view.set('layers');
    layer.set(fault.layer);
    at.set(String(fault.step), 'push');
  }

  private query(runs: readonly string[]) {
    const { view, measure, kind, rank, layer } = this.settings;
    const [shown, one] = [view.peek(), rank.peek()];
    return {
      run: runs,
      view: shown,
      measure: measure.peek(),
      kind: kind.peek(),
      rank: shown === 'layers' && one !== null && runs.includes(one) ? one : undefined,
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
