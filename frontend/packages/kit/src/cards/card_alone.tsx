import type { Contributed } from '@insight-host/api';
import type { ComponentChildren, JSX } from 'preact';
import { Card, type Place } from './card';
import type { CardParts } from '../base/card_parts';
import { cardId, type CardKey } from '../base/card_key';
import { Empty } from './content';
import type { MenuItem } from '../base/menu';

export interface CardAloneProps {
  readonly board: CardParts;
  /** The tab's class. */
  readonly name: string;
  readonly card: CardKey;
  readonly content: (card: CardKey, place: Place) => JSX.Element;
  /** The dialogs that the card opens. */
  readonly children?: ComponentChildren;
}

/** A card outside of its tab: in a report, or in a page of others. It is as large as what it is in. */
export function CardAlone({ board, name, card, content, children }: CardAloneProps): JSX.Element {
  const { table } = board.tags;
  return (
    <div class={`kit alone ${name}`}>
      {table.value && !board.cards.has(card) ? (
        <Empty title={board.page.titleOf(card.tag)} text={board.page.t('card.gone')} />
      ) : (
        table.value && <Card board={board} card={card} content={content} />
      )}
      {children}
    </div>
  );
}

/** What the menu of a card offers beyond what its own plugin does. */
export function cardActions({ cardActions: actions }: Contributed, card: CardKey): readonly MenuItem[] {
  return actions.map(({ id, text, run }) => ({ action: id, text, onPress: () => run(cardId(card)) }));
}
