import { signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Query } from '@insight-host/api';
import { CardList } from './card_list';
import { Filter } from './filter';
import type { Page } from './page';
import { Tags, type TagInfo } from './tags';

/** What a tab of cards is made of. */
export interface CardParts<Info extends TagInfo = TagInfo> {
  readonly page: Page;
  readonly tags: Tags<Info>;
  readonly filter: Filter;
  readonly cards: CardList;
}

/** `perTag`: one card for each tag, else one for each tag and run. `query`: what to ask `/tags`. */
export function cardParts<Info extends TagInfo = TagInfo>(
  page: Page,
  perTag: boolean | Live<boolean>,
  query?: Live<Query>,
): CardParts<Info> {
  const tags = new Tags<Info>(page, query);
  const filter = new Filter(page, tags);
  const cards = new CardList(page, tags, filter, typeof perTag === 'boolean' ? signal(perTag) : perTag);
  return { page, tags, filter, cards };
}
