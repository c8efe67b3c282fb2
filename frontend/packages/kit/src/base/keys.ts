/** Keys: shortcuts of tabs, where the focus goes, and what a screen reader says. */
import type { Disposer, PluginContext } from '@insight-host/api';
import { useEffect } from 'preact/hooks';
import { sameCard, type CardKey } from './card_key';
import type { CardParts } from './card_parts';

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

const ARROWS: Readonly<Record<string, readonly [right: number, up: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** To which side an arrow key points; undefined for other keys. */
export const arrowOf = (key: string): readonly [right: number, up: number] | undefined => ARROWS[key];

const TYPING = 700; // ms between two letters of one word
let typed = { text: '', at: 0 };

/**
 * Moves the focus among items: arrows go round, Home and End go to the ends, letters to the next item that begins with
 * them. Returns the item that has the focus now; null if the key means something else.
 */
export function rove(event: KeyboardEvent, items: readonly HTMLElement[]): HTMLElement | null {
  if (event.ctrlKey || event.metaKey || event.altKey || items.length === 0) return null;
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = itemAfter(event, items, at);
  const next = to === null ? undefined : items[to];
  if (!next) return null;
  event.preventDefault();
  next.focus({ preventScroll: true });
  return next;
}

function itemAfter({ key, timeStamp }: KeyboardEvent, items: readonly HTMLElement[], at: number): number | null {
  const count = items.length;
  if (key === 'ArrowDown' || key === 'ArrowRight') return (at + 1) % count;
  if (key === 'ArrowUp' || key === 'ArrowLeft') return at < 0 ? count - 1 : (at - 1 + count) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key.length !== 1 || key === ' ') return null;
  typed = { text: (timeStamp - typed.at < TYPING ? typed.text : '') + key.toLowerCase(), at: timeStamp };
  const isOne = [...typed.text].every((letter) => letter === key.toLowerCase()); // the same letter again goes on
  const word = isOne ? key.toLowerCase() : typed.text;
  const found = items
    .map((_, i) => (at + (isOne ? 1 : 0) + i + count) % count)
    .find((i) => items[i]?.textContent?.trim().toLowerCase().startsWith(word));
  return found ?? null;
}

const PLACES =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), ' +
  'textarea:not(:disabled), [tabindex="0"]';

/** A focus trap: while `active`, the Tab key stays within an element that covers the page. */
export function useTabWithin(place: { readonly current: HTMLElement | null }, active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const stay = (event: KeyboardEvent): void => {
      const element = place.current;
      if (event.key !== 'Tab' || event.defaultPrevented || !element || document.querySelector('dialog[open]')) return;
      const places = [...element.querySelectorAll<HTMLElement>(PLACES)].filter(
        (each) => each.getClientRects().length > 0,
      );
      const [first, last] = [places[0], places.at(-1)];
      const at = document.activeElement;
      const isInside = at !== element && element.contains(at);
      if (!first || !last || (isInside && at !== (event.shiftKey ? first : last))) return;
      event.preventDefault();
      (event.shiftKey ? last : first).focus();
    };
    document.addEventListener('keydown', stay);
    return () => document.removeEventListener('keydown', stay);
  }, [active]);
}

const REST = 250; // ms: while a key is held down nothing is said

let region: HTMLElement | null = null;

/**
 * Has a screen reader say a text as soon as it is quiet, unless another text follows at once. Returns what takes it
 * back.
 */
export function announce(text: string): () => void {
  if (!region?.isConnected) {
    region = document.body.appendChild(document.createElement('div'));
    region.setAttribute('aria-live', 'polite');
    region.dataset['testid'] = 'announcement';
    region.style.cssText =
      'position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap';
  }
  const live = region;
  const timer = setTimeout(() => (live.textContent = text), REST);
  return () => clearTimeout(timer);
}
