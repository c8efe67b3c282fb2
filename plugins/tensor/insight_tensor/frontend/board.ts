import { computed, signal } from '@preact/signals';
import { binCount, cardId, changed, codecs, histogramView, message, recordQuery, seriesCards, stepCount, StepBoard, tagCards, VIEWS, type CardGroup, type CardKey, type Records, type Setting, type TagInfo, type TagTable } from 'insight-host/kit';
import { MOST_DIGITS, type Format, type Kind } from './numbers';

/** What `/tags` says of a series of tensors. */
export interface TensorInfo extends TagInfo {
  /** Of its writer, when no plugin here claims it; "" of ours. */
  readonly plugin: string;
}

export const SHOWS = ['table', 'histogram'] as const;
export type Show = (typeof SHOWS)[number];
type Changed = Parameters<StepBoard['changed']>[0];
type Range = readonly [number, number];

const LONGEST = 200; // characters of a slice
const SETTLE = 300; // ms without a change before the URL says it
const REST = 500; // ms between two questions about what grows
const sliceOf = (text: string): string | null => (text && text.length <= LONGEST ? text : null);

export class TensorBoard extends StepBoard<TensorInfo> {
  readonly show = this.setting('show', codecs.choice<Show>(SHOWS, 'table'));
  /** Also tensors of summary plugins that no plugin here claims. */
  readonly others = this.setting('others', codecs.flag(false));
  readonly digits = this.later(this.setting('digits', codecs.wholeNumber(0, MOST_DIGITS, 5)), SETTLE);
  readonly notation = this.setting('notation', codecs.choice<Format['notation']>(['fixed', 'scientific'], 'fixed'));
  readonly heat = this.setting('heat', codecs.flag(true));
  private readonly slices: Setting<ReadonlyMap<string, string>> = this.setting('slices', codecs.byCard(sliceOf, String));
  /** Of histograms. */
  readonly view = this.setting('view', histogramView);
  readonly stepCount = this.setting('count', stepCount);
  readonly binCount = this.setting('bins', binCount);
  /** The axis of values is not that of the most extreme steps. */
  readonly outliers = this.setting('outliers', codecs.flag(false));
  /** All runs of a tag have the same axis of values. */
  readonly sameRange = this.setting('range', codecs.flag(true));
  /** Histograms of all runs at one step. */
  readonly compare = this.setting('compare', codecs.flag(false));
  readonly isComparing = computed(() => this.show.value === 'histogram' && this.compare.value);

  readonly format = computed<Format>(() => ({ digits: this.digits.value, notation: this.notation.value }));
  private readonly versions = new Map<string, number>();
  private everything = 0; // how often all may have changed
  private readonly tick = signal(0);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly ranges = signal<ReadonlyMap<string, Range>>(new Map());
  private asked = 0;

  constructor(ctx: StepBoard['ctx']) {
    super(ctx);
    let first = true;
    this.until(
      this.others.subscribe(() => {
        if (!first) void this.loadTags();
        first = false;
      }),
    );
    this.until(() => clearTimeout(this.timer));
  }

  override readonly groups = computed<readonly CardGroup[]>(() => {
    const byTag = this.runsByTag.value;
    const pins = this.pins.value.filter((tag) => byTag.has(tag));
    if (this.isComparing.value) return tagCards(this.shownTags.value, pins);
    return seriesCards(this.shownTags.value, pins, (tag) => byTag.get(tag)?.map((run) => run.name) ?? []);
  });

  override async loadTags(): Promise<void> {
    await Promise.resolve(); // the first time this board is not made yet
    const mine = ++this.asked;
    try {
      const table = await this.ctx.data.json<TagTable<TensorInfo>>('tags', { others: this.others.value ? 1 : null }, { signal: this.ctx.signal });
      if (mine !== this.asked) return;
      this.table.value = table;
      this.failure.value = null;
    } catch (error) {
      if (!this.ctx.signal.aborted && mine === this.asked) this.failure.value = message(error);
    }
  }

  protected override changed(series: Changed): void {
    super.changed(series);
    if (!series) this.everything++;
    for (const [run, tags] of Object.entries(series ?? {})) {
      for (const tag of tags) {
        const id = cardId({ tag, run });
        this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
      }
    }
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.tick.value++;
    }, REST);
  }

  /** How often these runs of a tag have changed. */
  version(tag: string, runs: readonly string[]): number {
    void this.tick.value;
    return runs.reduce((sum, run) => sum + (this.versions.get(cardId({ tag, run })) ?? 0), this.everything);
  }

  /** Which values a card has found. */
  setRange(card: CardKey, range: Range): void {
    const id = cardId(card);
    const old = this.ranges.value.get(id);
    if (old?.[0] !== range[0] || old[1] !== range[1]) this.ranges.value = new Map(this.ranges.value).set(id, range);
  }

  /** The values of all runs of a tag that were looked at; undefined: each card has its own axis. */
  rangeOf(tag: string): Range | undefined {
    if (!this.sameRange.value) return undefined;
    const runs = this.runsByTag.value.get(tag) ?? [];
    const found = runs.flatMap(({ name }) => this.ranges.value.get(cardId({ tag, run: name })) ?? []);
    const [low, high] = [Math.min(...found), Math.max(...found)];
    return low < high ? [low, high] : undefined;
  }

  /** As the user wrote it; "" is the default. */
  sliceOf(card: CardKey): string {
    return this.slices.value.get(cardId(card)) ?? '';
  }

  setSlice(card: CardKey, text: string): void {
    this.slices.set(changed(this.slices.value, cardId(card), text || null));
  }

  /** The whole tensor as a file; strings, which .npy has no place for, as JSON of the slice that is shown. */
  downloadOf(card: CardKey, records: Records, index: number, kind: Kind): string {
    const query = recordQuery(card, records, index);
    return kind === 'string' ? this.ctx.data.href('values', { ...query, slice: this.sliceOf(card) || null }) : this.ctx.data.href('npy', query);
  }

  turnView(): void {
    if (this.show.value === 'table') this.show.set('histogram');
    else this.view.set(VIEWS[(VIEWS.indexOf(this.view.value) + 1) % VIEWS.length] as (typeof VIEWS)[number]);
  }
}
