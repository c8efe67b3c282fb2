import {
  cardCodec,
  cardId,
  changed,
  codecs,
  recordQuery,
  sameCard,
  StepBoard,
  type CardKey,
  type Records,
  type Setting,
  type TagInfo,
} from '@insight-host/kit';
import { computed, effect, signal, untracked } from '@preact/signals';
import type { Codec, PluginContext, Query } from '@insight-host/api';
import { Frames, type PictureQuery } from './frames';
import { MOST_LIGHT, parseLight, PLAIN, sameLight, type Light, lightText } from './light';
import { parseZoom, zoomText, type Zoom } from './viewport';

/** What `/tags` says of a series of images. */
export interface ImageInfo extends TagInfo {
  /** Retained under the cache policy. */
  readonly kept: number;
  /** Kinds of values of which the series consists. */
  readonly claims: readonly string[];
}

/** Whether a record may hold several pictures. */
export const hasBatches = (info: ImageInfo): boolean => info.claims.includes('plugin:images');

export const MODES = ['side', 'swipe', 'difference'] as const;
export type Mode = (typeof MODES)[number];
export const GAINS = ['1', '4', '16'] as const;

const SETTLE = 300; // ms without a change before the URL says it
export const LARGE = 2 << 20; // bytes of a record from which a card shows a smaller picture
const REDUCED = 512; // pixels of that, each way

const zoom: Codec<Zoom | null> = {
  parse: (text) => (text ? parseZoom(text) : null),
  format: (value) => value && zoomText(value),
};
const sampleOf = (text: string): number | null => (/^\d{1,6}$/.test(text) ? Number(text) : null);

export class ImageBoard extends StepBoard<ImageInfo> {
  readonly brightness = this.setting('brightness', codecs.wholeNumber(0, MOST_LIGHT, 100), SETTLE);
  readonly contrast = this.setting('contrast', codecs.wholeNumber(0, MOST_LIGHT, 100), SETTLE);
  /** Of cards that have their own. */
  private readonly lights: Setting<ReadonlyMap<string, Light>> = this.setting(
    'light',
    codecs.byCard(parseLight, lightText),
    SETTLE,
  );
  /** Of what fills the screen: a card, or a comparison. */
  private readonly screenZoom: Setting<Zoom | null> = this.setting('zoom', zoom, SETTLE);
  /** Of cards in the grid that do not fit their picture. */
  private readonly zooms: Setting<ReadonlyMap<string, Zoom>> = this.setting(
    'zooms',
    codecs.byCard(parseZoom, zoomText),
    SETTLE,
  );
  private readonly samples: Setting<ReadonlyMap<string, number>> = this.setting(
    'sample',
    codecs.byCard(sampleOf, String),
    SETTLE,
  );

  /** The card whose tag is compared between runs; its run is the first of them. */
  readonly compared = this.setting('compare', cardCodec);
  readonly mode = this.setting('mode', codecs.choice<Mode>(MODES, 'side'));
  /** The second run of a comparison of two. */
  readonly partner = this.setting('with', codecs.name);
  /** Where the line between two pictures is, in per cent of the width. */
  readonly swipe = this.setting('swipe', codecs.wholeNumber(0, 100, 50), SETTLE);
  /** By how much a difference is multiplied. */
  readonly gain = this.setting('gain', codecs.choice(GAINS, '1'));
  /** The card whose brightness and contrast are being set. */
  readonly lit = signal<CardKey | null>(null);

  readonly frames = new Frames(this.ctx);

  /** The card that is compared, while there is one. */
  readonly comparing = computed<CardKey | null>(() => {
    const { value: card } = this.compared;
    return card && this.has(card) ? card : null;
  });

  readonly plain = computed(
    () => this.brightness.value === 100 && this.contrast.value === 100 && this.lights.value.size === 0,
  );

  constructor(ctx: PluginContext) {
    super(ctx);
    const { value: full } = this.full;
    let seen = this.compared.value?.tag ?? (full && cardId(full));
    this.until(
      effect(() => {
        const { value: card } = this.full;
        const now = this.compared.value?.tag ?? (card && cardId(card));
        // what else fills the screen begins with all of it in sight
        if (now !== seen) untracked(() => this.screenZoom.set(null));
        seen = now;
      }),
    );
  }

  lightOf(card: CardKey): Light {
    return this.lights.value.get(cardId(card)) ?? { brightness: this.brightness.value, contrast: this.contrast.value };
  }

  hasOwnLight(card: CardKey): boolean {
    return this.lights.value.has(cardId(card));
  }

  setLight(card: CardKey, light: Light | null): void {
    const common = { brightness: this.brightness.value, contrast: this.contrast.value };
    this.lights.set(changed(this.lights.value, cardId(card), light && !sameLight(light, common) ? light : null));
  }

  resetLights(): void {
    this.brightness.set(PLAIN.brightness);
    this.contrast.set(PLAIN.contrast);
    this.lights.set(new Map());
  }

  zoomOf(card: CardKey): Zoom | null {
    return this.fillsScreen(card) ? this.screenZoom.value : (this.zooms.value.get(cardId(card)) ?? null);
  }

  setZoom(card: CardKey, next: Zoom | null): void {
    if (this.fillsScreen(card)) this.screenZoom.set(next);
    else this.zooms.set(changed(this.zooms.value, cardId(card), next));
  }

  private fillsScreen(card: CardKey): boolean {
    return sameCard(this.comparing.value ?? this.full.value, card);
  }

  sampleOf(card: CardKey): number {
    return this.samples.value.get(cardId(card)) ?? 0;
  }

  setSample(card: CardKey, sample: number): void {
    this.samples.set(changed(this.samples.value, cardId(card), sample || null));
  }

  /** What to ask about one picture of a record. */
  queryOf(card: CardKey, records: Records, index: number, sample: number): Query {
    return { ...recordQuery(card, records, index), sample: sample || null };
  }

  /** `whole`: the picture itself, however large its file is. */
  pictureOf(card: CardKey, records: Records, index: number, sample: number, whole: boolean): PictureQuery {
    const query = this.queryOf(card, records, index, sample);
    const reduced = !whole && (records.sizes[index] ?? 0) > LARGE;
    return reduced ? { route: 'thumbnail', query: { ...query, size: REDUCED } } : { route: 'image', query };
  }

  downloadOf(card: CardKey, records: Records, index: number, sample: number): string {
    return this.ctx.data.href('image', { ...this.queryOf(card, records, index, sample), download: 1 });
  }
}
