import type { Codec } from '@insight-host/api';
import {
  cardCodec,
  cardId,
  codecs,
  PerCard,
  sameCard,
  type CardKey,
  type CardList,
  type Page,
  type Setting,
} from '@insight-host/kit';
import { computed, effect, untracked } from '@preact/signals';
import { parseZoom, zoomText, type Zoom } from './viewport';

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
  /** The place of the line between two pictures, in per cent of the width. */
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

const zoom: Codec<Zoom | null> = {
  parse: (text) => (text ? parseZoom(text) : null),
  format: (value) => value && zoomText(value),
};

/** The part of their picture that cards show: each card of the grid its own, and what fills the screen another. */
export class Zooms {
  /** The zoom of the card or comparison that fills the screen. */
  private readonly screen: Setting<Zoom | null>;
  /** The zooms of cards in the grid that do not fit their picture. */
  private readonly own: PerCard<Zoom>;

  constructor(
    page: Page,
    private readonly cards: CardList,
    private readonly comparing: Comparing,
  ) {
    this.screen = page.setting('zoom', zoom, SETTLE);
    this.own = new PerCard(page, 'zooms', parseZoom, zoomText, SETTLE);
    const covering = (): string | null => {
      const [{ value: compared }, { value: full }] = [comparing.wanted, cards.full];
      return compared?.tag ?? (full && cardId(full));
    };
    let seen = covering();
    page.until(
      effect(() => {
        const now = covering();
        // what else fills the screen begins with all of it in sight
        if (now !== seen) untracked(() => this.screen.set(null));
        seen = now;
      }),
    );
  }

  of(card: CardKey): Zoom | null {
    return this.fillsScreen(card) ? this.screen.value : (this.own.of(card) ?? null);
  }

  set(card: CardKey, next: Zoom | null): void {
    if (this.fillsScreen(card)) this.screen.set(next);
    else this.own.set(card, next);
  }

  private fillsScreen(card: CardKey): boolean {
    return sameCard(this.comparing.card.value ?? this.cards.full.value, card);
  }
}
