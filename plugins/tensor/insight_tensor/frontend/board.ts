import { computed } from '@preact/signals';
import type { PluginContext, Query } from '@insight-host/api';
import {
  cardId,
  changed,
  codecs,
  recordQuery,
  type CardKey,
  type Records,
  type Setting,
  type TagInfo,
} from '@insight-host/kit';
import { HistogramBoard } from '@insight-host/kit/histograms';
import { MOST_DIGITS, type Format, type Kind } from './numbers';

/** What `/tags` says of a series of tensors. */
export interface TensorInfo extends TagInfo {
  /** Of its writer, when no plugin here claims it; "" of ours. */
  readonly plugin: string;
}

export const SHOWS = ['table', 'histogram'] as const;
export type Show = (typeof SHOWS)[number];

const LONGEST = 200; // characters of a slice
const SETTLE = 300; // ms without a change before the URL says it
const sliceOf = (text: string): string | null => (text && text.length <= LONGEST ? text : null);

export class TensorBoard extends HistogramBoard<TensorInfo> {
  readonly show = this.setting('show', codecs.choice<Show>(SHOWS, 'table'));
  /** Also tensors of summary plugins that no plugin here claims. */
  readonly others = this.setting('others', codecs.flag(false));
  readonly digits = this.setting('digits', codecs.wholeNumber(0, MOST_DIGITS, 5), SETTLE);
  readonly notation = this.setting('notation', codecs.choice<Format['notation']>(['fixed', 'scientific'], 'fixed'));
  readonly heat = this.setting('heat', codecs.flag(true));
  private readonly slices: Setting<ReadonlyMap<string, string>> = this.setting(
    'slices',
    codecs.byCard(sliceOf, String),
  );
  override readonly isComparing = computed(() => this.show.value === 'histogram' && this.compare.value);

  readonly format = computed<Format>(() => ({ digits: this.digits.value, notation: this.notation.value }));

  constructor(ctx: PluginContext) {
    super(ctx);
    let first = true;
    this.until(
      this.others.subscribe(() => {
        if (!first) void this.loadTags();
        first = false;
      }),
    );
  }

  protected override tagQuery(): Query {
    return { others: this.others.value ? 1 : null };
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
    return kind === 'string'
      ? this.ctx.data.href('values', { ...query, slice: this.sliceOf(card) || null })
      : this.ctx.data.href('npy', query);
  }

  override turnView(): void {
    if (this.show.value === 'table') this.show.set('histogram');
    else super.turnView();
  }
}
