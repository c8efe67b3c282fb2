import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { Fragment } from 'preact';
import type { Board, TagInfo } from './board';
import { cardId, type CardKey } from './cards';
import { Button } from './controls';
import { titleParts, type CardGroup } from './groups';
import { Icon } from './icons';

const PORTION = 60; // cards of one tag until somebody asks for more

export interface GroupsProps<Info extends TagInfo> {
  readonly board: Board<Info>;
  /** The card of a key. */
  readonly card: (key: CardKey) => JSX.Element;
}

/** All cards, below headings that close. */
export function Groups<Info extends TagInfo>({ board, card }: GroupsProps<Info>): JSX.Element {
  return <div class="groups">{board.groups.value.map((group) => <Group key={`${group.kind} ${group.name}`} board={board} group={group} card={card} />)}</div>;
}

function Group<Info extends TagInfo>({ board, group, card }: GroupsProps<Info> & { readonly group: CardGroup }): JSX.Element {
  const portion = useSignal(PORTION);
  const { name, kind, cards } = group;
  const closed = board.closed.value.includes(name);
  const only = board.groups.value.length === 1;
  const title = kind === 'pinned' ? board.t('group.pinned') : kind === 'tag' ? board.titleOf(name) : name || board.t(only ? 'group.all' : 'group.plain');
  const shown = kind === 'tag' ? cards.slice(0, portion.value) : cards;
  const [prefix, rest] = kind === 'tag' ? titleParts(title) : ['', title];
  return (
    <section class={cards.length === 1 && kind !== 'pinned' ? 'group single' : 'group'} data-group={kind === 'pinned' ? 'pinned' : name} aria-label={title}>
      <h2>
        <button type="button" aria-expanded={!closed} title={title} onClick={() => board.toggle(board.closed, name)}>
          <Icon name={closed ? 'closed' : 'open'} />
          <span class="name">{prefix && <span class="prefix">{prefix}</span>}{rest}</span>
          {(kind !== 'tag' || cards.length > 1) && <span class="count">{cards.length}</span>}
        </button>
        {kind === 'tag' && <Button action="pin" icon="pin" label={board.t('pin')} pressed={board.pins.value.includes(name)} onPress={() => board.toggle(board.pins, name)} />}
      </h2>
      {!closed && <div class="cards">{shown.map((key) => <Fragment key={cardId(key)}>{card(key)}</Fragment>)}</div>}
      {!closed && shown.length < cards.length && (
        <button type="button" class="more" data-action="more" onClick={() => (portion.value += PORTION)}>{board.t('more', { count: cards.length - shown.length })}</button>
      )}
    </section>
  );
}
