import { useSignal } from '@preact/signals';
import { Fragment, type JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Board, TagInfo } from './board';
import { TagName } from './card';
import { cardId, sameCard, type CardKey } from './cards';
import { Button } from './controls';
import type { CardGroup } from './groups';
import { Icon } from './icons';

const PORTION = 60; // cards of one tag before “more”
const MANY = 1000; // cards beyond which a group is empty until it comes near the screen

export interface GroupsProps<Info extends TagInfo> {
  readonly board: Board<Info>;
  /** The card of a key. */
  readonly card: (key: CardKey) => JSX.Element;
}

/** All cards, in collapsible groups. */
export function Groups<Info extends TagInfo>({ board, card }: GroupsProps<Info>): JSX.Element {
  const groups = board.groups.value;
  const lazy = groups.reduce((sum, { kind, cards }) => sum + (kind === 'tag' ? Math.min(cards.length, PORTION) : 0), 0) > MANY;
  return <div class="groups">{groups.map((group) => <Group key={`${group.kind} ${group.name}`} board={board} group={group} card={card} lazy={lazy} />)}</div>;
}

interface GroupProps<Info extends TagInfo> extends GroupsProps<Info> {
  readonly group: CardGroup;
  readonly lazy: boolean;
}

function Group<Info extends TagInfo>({ board, group, card, lazy }: GroupProps<Info>): JSX.Element {
  const portion = useSignal(PORTION);
  const place = useRef<HTMLElement>(null);
  const near = useSignal(false);
  useEffect(() => {
    const element = place.current;
    if (!element || !lazy || near.value) return;
    const observer = new IntersectionObserver(([entry]) => (near.value ||= entry?.isIntersecting === true), { rootMargin: '1500px 0px' });
    observer.observe(element);
    return () => observer.disconnect();
  }, [lazy, near.value]);
  const { name, kind, cards } = group;
  const closed = board.closed.value.includes(name);
  const only = board.groups.value.length === 1;
  const title = kind === 'pinned' ? board.t('group.pinned') : kind === 'tag' ? board.titleOf(name) : name || board.t(only ? 'group.all' : 'group.plain');
  const full = board.full.value;
  const there = !lazy || near.value || cards.some((key) => sameCard(key, full));
  const shown = kind === 'tag' ? cards.filter((key, i) => i < portion.value || sameCard(key, full)) : cards;
  return (
    <section ref={place} class={cards.length === 1 && kind !== 'pinned' ? 'group single' : 'group'} data-group={kind === 'pinned' ? 'pinned' : name} aria-label={title}>
      <h2>
        <button type="button" aria-expanded={!closed} title={title} onClick={() => board.toggle(board.closed, name)}>
          <Icon name={closed ? 'closed' : 'open'} />
          <span class="name">{kind === 'tag' ? <TagName title={title} /> : title}</span>
          {(kind !== 'tag' || cards.length > 1) && <span class="count">{cards.length}</span>}
        </button>
        {kind === 'tag' && <Button action="pin" icon="pin" label={board.t('pin')} pressed={board.pins.value.includes(name)} onPress={() => board.toggle(board.pins, name)} />}
      </h2>
      {!closed && <div class={there ? 'cards' : 'cards waiting'}>{there && shown.map((key) => <Fragment key={cardId(key)}>{card(key)}</Fragment>)}</div>}
      {!closed && shown.length < cards.length && (
        <button type="button" class="more" data-action="more" onClick={() => (portion.value += PORTION)}>{board.t('more', { count: cards.length - shown.length })}</button>
      )}
    </section>
  );
}
