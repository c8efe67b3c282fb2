import { cardId, PerCard, sameCard, type CardKey, type CardList, type Page, type Setting } from '@insight-host/kit';
import { effect, untracked } from '@preact/signals';
import type { Codec } from '@insight-host/api';
import type { Comparing } from './comparing';
import { parseZoom, zoomText, type Zoom } from './viewport';

const SETTLE = 300; // ms without a change before the URL says it

const zoom: Codec<Zoom | null> = {
  parse: (text) => (text ? parseZoom(text) : null),
  format: (value) => value && zoomText(value),
};

/** Which part of their picture cards show: those of the grid each its own, and what fills the screen another. */
export class Zooms {
  /** Of what fills the screen: a card, or a comparison. */
  private readonly screen: Setting<Zoom | null>;
  /** Of cards in the grid that do not fit their picture. */
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
