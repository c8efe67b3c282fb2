import type { CardKey } from './card_key';
import { cardId } from './card_key';
import { byCard } from './codecs';
import type { Page, Setting } from './page';

/** What is set of single cards, kept in the URL. */
export class PerCard<T> {
  private readonly all: Setting<ReadonlyMap<string, T>>;

  /** `settle`: see `Page.setting`. */
  constructor(
    page: Page,
    key: string,
    parse: (text: string) => T | null,
    format: (value: T) => string,
    settle?: number,
  ) {
    this.all = page.setting(key, byCard(parse, format), settle);
  }

  of(card: CardKey): T | undefined {
    return this.all.value.get(cardId(card));
  }

  get isEmpty(): boolean {
    return this.all.value.size === 0;
  }

  /** null: nothing of its own. */
  set(card: CardKey, value: T | null): void {
    this.all.set(changed(this.all.value, cardId(card), value));
  }

  clear(): void {
    this.all.set(new Map());
  }
}

/** A map with one entry set, or removed when `value` is null. */
export function changed<T>(map: ReadonlyMap<string, T>, key: string, value: T | null): ReadonlyMap<string, T> {
  if (value === null && !map.has(key)) return map;
  const next = new Map(map);
  if (value === null) next.delete(key);
  else next.set(key, value);
  return next;
}
