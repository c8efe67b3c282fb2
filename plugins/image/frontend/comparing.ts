import { cardCodec, codecs, type CardKey, type CardList, type Page, type Setting } from '@insight-host/kit';
import { computed } from '@preact/signals';

export const MODES = ['side', 'swipe', 'difference'] as const;
export type Mode = (typeof MODES)[number];
export const GAINS = ['1', '4', '16'] as const;

const SETTLE = 300; // ms without a change before the URL says it

/** How the pictures of one tag are compared between runs. */
export class Comparing {
  /** The card whose tag is compared, be it there or not; its run is the first of them. */
  readonly wanted: Setting<CardKey | null>;
  readonly mode: Setting<Mode>;
  /** The second run of a comparison of two. */
  readonly partner: Setting<string | null>;
  /** Where the line between two pictures is, in per cent of the width. */
  readonly swipe: Setting<number>;
  /** By how much a difference is multiplied. */
  readonly gain: Setting<(typeof GAINS)[number]>;

  constructor(
    page: Page,
    private readonly cards: CardList,
  ) {
    this.wanted = page.setting('compare', cardCodec);
    this.mode = page.setting('mode', codecs.choice<Mode>(MODES, 'side'));
    this.partner = page.setting('with', codecs.name);
    this.swipe = page.setting('swipe', codecs.wholeNumber(0, 100, 50), SETTLE);
    this.gain = page.setting('gain', codecs.choice(GAINS, '1'));
  }

  /** The card that is compared, while there is one. */
  readonly card = computed<CardKey | null>(() => {
    const { value: card } = this.wanted;
    return card && this.cards.has(card) ? card : null;
  });
}
