import type { Codec } from '@insight-host/api';
import { decoded, encoded, byCard } from './codecs';
import type { Page, Setting } from './page';

/** Names a card by what it shows: a tag in all runs (`run` is null), or in one run. */
export interface CardKey {
  readonly tag: string;
  readonly run: string | null;
}

/** The unique name of a card: in maps, lists and the URL. */
export function cardId({ tag, run }: CardKey): string {
  return run === null ? encoded(tag) : `${encoded(tag)};${encoded(run)}`;
}

export function sameCard(a: CardKey | null, b: CardKey | null): boolean {
  return a === b || (a !== null && b !== null && a.tag === b.tag && a.run === b.run);
}

/** One card or none. */
export const cardCodec: Codec<CardKey | null> = {
  parse(t) {
    const [tag, run] = (t ?? '').split(';').map(decoded);
    if (tag === undefined || tag === null) return null;
    return { tag, run: run ?? null };
  },
  format: (value) => (value === null ? null : cardId(value)),
  named: (value) =>
    value === null || value.tag.startsWith('\u0000')
      ? {}
      : { tags: [value.tag], runs: value.run === null ? [] : [value.run] },
};

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
