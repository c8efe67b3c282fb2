import type { Disposer, PluginContext } from '@insight-host/api';
import type { CardParts } from './card_parts';
import { sameCard, type CardKey } from './card_key';

/** A keyboard shortcut: key, description key in the catalogue, action. */
export type Key = readonly [key: string, text: string, run: () => void];

/** Registers shortcuts; descriptions are updated when the language changes. */
export function addKeys(ctx: PluginContext, keys: readonly Key[]): Disposer {
  let stops: readonly Disposer[] = [];
  const end = (): void => stops.forEach((stop) => stop());
  const stopLocale = ctx.locale.subscribe(() => {
    end();
    stops = keys.map(([key, text, run]) => ctx.shortcut(key, ctx.t(text), run));
  });
  return () => {
    stopLocale();
    end();
  };
}

/** For keys that act on a card: the one that fills the screen, else the one under the pointer or with the focus. */
export function onCard({ cards }: Pick<CardParts, 'cards'>, run: (card: CardKey) => void): () => void {
  return () => {
    const card = cards.full.value ?? cards.current.value;
    if (card && cards.has(card)) run(card);
  };
}

/** The keys of every tab: full screen and the tag filter. */
export function boardKeys(
  board: Pick<CardParts, 'cards'>,
  host: HTMLElement,
): readonly [full: Key, leave: Key, filter: Key] {
  return [
    [
      'f',
      'full.enter',
      onCard(board, (card) => board.cards.full.set(sameCard(board.cards.full.value, card) ? null : card, 'push')),
    ],
    ['Escape', 'full.leave', () => board.cards.full.value !== null && board.cards.full.set(null)],
    ['t', 'keys.filter', () => focusOn(host, '.tag-filter')],
  ];
}

export function focusOn(host: HTMLElement, selector: string): void {
  const element = host.querySelector<HTMLInputElement>(selector);
  element?.focus();
  if (element?.type === 'search') element.select();
}
