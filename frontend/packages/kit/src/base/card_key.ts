import type { Codec } from '@insight-host/api';
import { decoded, encoded } from './codecs';

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
