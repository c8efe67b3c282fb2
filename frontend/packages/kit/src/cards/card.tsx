import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useAnswer, type Asked } from '../base/ask';
import { cardId, sameCard, type CardKey } from '../base/card_key';
import type { CardParts } from '../base/card_parts';
import { Button } from '../base/controls';
import { titleParts } from '../base/groups';
import { useTabWithin, type Key } from '../base/keys';
import type { Page, Setting } from '../base/page';
import type { RequestQueue } from '../base/requests';
import { CardGuard } from './error_cell';

export interface Place {
  readonly current: HTMLElement | null;
}

/** What the content of a card is given. */
export interface ContentOfCard<Parts> {
  readonly board: Parts;
  readonly card: CardKey;
  readonly place: Place;
}

export interface CardProps {
  readonly board: Pick<CardParts, 'page' | 'cards'>;
  readonly card: CardKey;
  /** Where it stands in its group, in pixels; without these it fills what it is in. */
  readonly top?: number;
  readonly left?: number;
  readonly width?: number;
  readonly content: (card: CardKey, place: Place) => JSX.Element;
}

/** A card at its place in the grid. */
export function Card({ board, card, top, left, width, content }: CardProps): JSX.Element {
  const place = useRef<HTMLElement>(null);
  const full = sameCard(board.cards.full.value, card);
  useTabWithin(place, full && board.page.visible.value);
  const title = board.page.titleOf(card.tag);
  const isCurrent = (): void => void (board.cards.current.value = card);
  return (
    <section
      ref={place}
      class={full ? 'card full' : 'card'}
      style={full ? {} : { top, left, width }}
      data-tag={card.tag}
      data-card-run={card.run}
      data-testid="card"
      aria-label={card.run === null ? title : `${title}, ${board.page.nameOf(card.run)}`}
      onPointerEnter={isCurrent}
      onFocusIn={isCurrent}
    >
      <CardGuard page={board.page} card={card}>
        <Inside card={card} place={place} content={content} />
      </CardGuard>
    </section>
  );
}

/** A component of its own, so that the guard above it catches what `content` throws. */
function Inside({
  card,
  place,
  content,
}: Pick<CardProps, 'card' | 'content'> & { readonly place: Place }): JSX.Element {
  return content(card, place);
}

/** Pixels from the middle of a card to the middle of the screen: the urgency of its requests. */
export function urgencyOf(place: Place): number {
  const box = place.current?.getBoundingClientRect();
  return box ? Math.abs((box.top + box.bottom) / 2 - innerHeight / 2) : Infinity;
}

export interface CardHeadProps {
  readonly board: Pick<CardParts, 'page' | 'cards'>;
  readonly card: CardKey;
  /** Behind the title. */
  readonly note?: ComponentChildren;
  /** Buttons; those in `<Seldom>` show while the card is looked at. */
  readonly children?: ComponentChildren;
}

/**
 * A card's first line. A card of one run says the run, as the group above says the tag; alone on the screen it says
 * both.
 */
export function CardHead({ board, card, note, children }: CardHeadProps): JSX.Element {
  const full = sameCard(board.cards.full.value, card);
  const title = board.page.titleOf(card.tag);
  return (
    <header>
      <h3 title={card.run === null ? title : `${title}\n${card.run}`} data-hover-run={card.run}>
        {card.run !== null && <i class="dot" style={{ background: board.page.colorOf(card.run) }} />}
        {card.run !== null && <span class={full ? 'run beside' : 'run'}>{board.page.nameOf(card.run)}</span>}
        {(card.run === null || full) && (board.cards.others.value.has(card.tag) ? title : <TagName title={title} />)}
        {note}
      </h3>
      <div class="tools" role="toolbar" aria-label={board.page.t('card.tools')}>
        {children}
        <FullScreen page={board.page} isFull={full} onPress={() => board.cards.full.set(full ? null : card, 'push')} />
      </div>
    </header>
  );
}

/** A tag's title, what stands before its first slash in the background. */
export function TagName({ title }: { readonly title: string }): JSX.Element {
  const [prefix, name] = titleParts(title);
  return (
    <>
      <span class="prefix">{prefix}</span>
      {name}
    </>
  );
}

/**
 * Tools that show while the pointer or the focus is in the card, at the end of its last line, or the card fills the
 * screen. `--seldom-width` is the room that they take.
 */
export function Seldom({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <span class="seldom">{children}</span>;
}

export type CardAnswer<T> = Asked<T>;

/**
 * What a card asks for, while its tab is in front; cards near the middle of the screen go first. `key` names the
 * question, null asks for nothing.
 */
export function useCardAnswer<T>(
  { page, queue }: { readonly page: Page; readonly queue: RequestQueue },
  card: CardKey,
  place: Place,
  key: string | null,
  request: (signal: AbortSignal) => Promise<T>,
): CardAnswer<T> {
  return useAnswer(key, request, {
    queue,
    urgency: () => urgencyOf(place),
    visible: page.visible.value,
    about: cardId(card),
    keeps: true,
  });
}

export interface FullScreenProps {
  readonly page: Page;
  readonly isFull: boolean;
  readonly onPress: () => void;
}

/** The button that lets a card or a tab fill the screen, and leaves it again. */
export function FullScreen({ page, isFull, onPress }: FullScreenProps): JSX.Element {
  return (
    <Button
      action="fullscreen"
      icon={isFull ? 'close' : 'full'}
      label={page.t(isFull ? 'full.leave' : 'full.enter')}
      pressed={isFull}
      onPress={onPress}
    />
  );
}

/** The same for a tab that fills the screen as a whole. */
export function FullScreenToggle({
  page,
  setting,
}: {
  readonly page: Page;
  readonly setting: Setting<boolean>;
}): JSX.Element {
  return <FullScreen page={page} isFull={setting.value} onPress={() => setting.set(!setting.value, 'push')} />;
}

/** The keys of a tab that fills the screen as a whole. */
export function fullScreenKeys(setting: Setting<boolean>): readonly Key[] {
  return [
    ['f', 'full.enter', () => setting.set(!setting.value, 'push')],
    ['Escape', 'full.leave', () => setting.value && setting.set(false)],
  ];
}
