import { signal, type ReadonlySignal as Live } from '@preact/signals';
import { CardList } from './card_list';
import { Filter } from './filter';
import type { Page } from './page';
import { Tags, type SeriesChoice } from './tags';

/** What a tab of cards is made of. */
export interface CardParts {
  readonly page: Page;
  readonly tags: Tags;
  readonly filter: Filter;
  readonly cards: CardList;
}

/** `perTag`: one card for each tag, else one for each tag and run. */
export function cardParts(page: Page, perTag: boolean | Live<boolean>, series?: SeriesChoice): CardParts {
  const tags = new Tags(page, series);
  const filter = new Filter(page, tags);
  const cards = new CardList(page, tags, filter, typeof perTag === 'boolean' ? signal(perTag) : perTag);
  return { page, tags, filter, cards };
}
