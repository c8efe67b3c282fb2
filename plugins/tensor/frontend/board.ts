import { computed } from '@preact/signals';
import type { TagInfo } from '@insight-host/api';
import { codecs, PerCard, type CardKey, type Page } from '@insight-host/kit';
import { recordQuery, type Records } from '@insight-host/kit/steps';
import { histogramParts, histogramSettings, turnView } from '@insight-host/kit/histograms';
import { MOST_DIGITS, type Format, type Kind } from './numbers';

/** How the plugin of values begins that no plugin here claims. */
const UNCLAIMED = 'plugin:';

/** The name of the plugin that a series is of, when no plugin here claims it; "" of ours. */
export function writerOf({ plugin }: TagInfo): string {
  return plugin.startsWith(UNCLAIMED) ? plugin.slice(UNCLAIMED.length) : '';
}

/** Writers of no tensors, as claims.py has them; "" are other fields of an event. */
const NO_TENSORS: readonly string[] = ['', 'hparams', 'custom_scalars'];
const hasTensors = (info: TagInfo): boolean => info.plugin === 'tensor' || !NO_TENSORS.includes(writerOf(info));

export const SHOWS = ['table', 'histogram'] as const;
type Show = (typeof SHOWS)[number];

const LONGEST = 200; // characters of a slice
const SETTLE = 300; // ms without a change before the URL says it
const sliceOf = (text: string): string | null => (text && text.length <= LONGEST ? text : null);

export type TensorParts = ReturnType<typeof tensorParts>;

/** Makes the parts of the tensor tab: a table of values on each card, or histograms. */
export function tensorParts(page: Page) {
  const show = page.setting('show', codecs.choice<Show>(SHOWS, 'table'));
  /** Also tensors of summary plugins that no plugin here claims. */
  const others = page.setting('others', codecs.flag(false));
  const digits = page.setting('digits', codecs.wholeNumber(0, MOST_DIGITS, 5), SETTLE);
  const notation = page.setting('notation', codecs.choice<Format['notation']>(['fixed', 'scientific'], 'fixed'));
  const histograms = histogramSettings(page);
  const perTag = computed(() => show.value === 'histogram' && histograms.compare.value);
  const { tags } = page.ctx;
  const from = computed(() => (others.value ? tags.withUnclaimed : tags));
  return {
    ...histogramParts(page, histograms, perTag, { from, shows: hasTensors }),
    /** Whether a card is of all runs. */
    perTag,
    show,
    others,
    digits,
    notation,
    format: computed<Format>(() => ({ digits: digits.value, notation: notation.value })),
    heat: page.setting('heat', codecs.flag(true)),
    /** Slices that the user wrote; a card without one has the default. */
    slices: new PerCard(page, 'slices', sliceOf, String),
  };
}

/** The whole tensor as a file; strings, which .npy has no place for, as JSON of the slice that is shown. */
export function downloadOf(
  { page, slices }: TensorParts,
  card: CardKey,
  records: Records,
  index: number,
  kind: Kind,
): string {
  const query = recordQuery(card, records, index);
  return kind === 'string'
    ? page.ctx.data.href('values', { ...query, slice: slices.of(card) ?? null })
    : page.ctx.data.href('npy', query);
}

/** To the next way of showing values. */
export function turnShow({ show, histograms }: TensorParts): void {
  if (show.value === 'table') show.set('histogram');
  else turnView(histograms);
}
