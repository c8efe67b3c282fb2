import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CardParts } from '../base/card_parts';
import { Card, TagName, type CardProps, type Place } from './card';
import { cardId, sameCard, type CardKey } from '../base/card_key';
import { Button } from '../base/controls';
import { cardAt, cardsBetween, layOut, type GridSizes } from './grid_layout';
import { SINGLE_VALUES, type CardGroup } from '../base/groups';
import { Icon } from '../base/icons';
import { focusOn } from '../base/keys';

const PORTION = 60; // cards of one tag before “more”
const AROUND = 300; // pixels above and below the screen in which cards are drawn
const STRIDE = 100; // pixels of scrolling after which the cards in sight are looked up again

export interface CardGridProps {
  readonly board: CardParts;
  /** Its cards may have another size, see `--card-width`, `--card-height` and `--card-stretch`. */
  readonly look: string;
  /** What is in a card; called only for cards that are near the screen, have the focus or fill the screen. */
  readonly card: (card: CardKey, place: Place) => JSX.Element;
}

interface Sight {
  readonly top: number;
  readonly bottom: number;
}

const groupId = ({ kind, name }: CardGroup): string => `${kind} ${name}`;

/**
 * All cards in collapsible groups. All cards have one size, so their places are arithmetic, and only those near the
 * screen exist.
 */
export function CardGrid({ board, look, card }: CardGridProps): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const isScrolled = useRef(false); // since the last rendering
  const sizes = useSignal<GridSizes | null>(null);
  const sight = useSignal<Sight>({ top: 0, bottom: 0 });
  const focused = useSignal<CardKey | null>(null);
  const portions = useSignal<ReadonlyMap<string, number>>(new Map());
  const shownOf = (group: CardGroup): number =>
    group.kind === 'tag' ? (portions.value.get(groupId(group)) ?? PORTION) : Infinity;
  const layout = useComputed(
    () =>
      sizes.value && layOut(board.cards.groups.value, sizes.value, ({ name }) => board.cards.isClosed(name), shownOf),
  );

  useLayoutEffect(() => {
    const grid = root.current;
    if (!grid) return;
    const scroller = scrollerOf(grid);
    const scroll = (): void => {
      isScrolled.current = true;
      seek();
    };
    const seek = (): void => {
      if (grid.clientWidth === 0) return; // the tab is hidden, and comes back where it was
      const above = scroller.getBoundingClientRect().top - grid.getBoundingClientRect().top;
      const top = Math.floor((above - AROUND) / STRIDE) * STRIDE;
      const bottom = Math.ceil((above + scroller.clientHeight + AROUND) / STRIDE) * STRIDE;
      if (top !== sight.peek().top || bottom !== sight.peek().bottom) sight.value = { top, bottom };
    };
    const measure = (): void => {
      const style = getComputedStyle(grid);
      const { clientWidth: width } = grid;
      const read = (name: string): number => parseFloat(style.getPropertyValue(name));
      const found: GridSizes = {
        width,
        cardWidth: read('--card-width'),
        cardHeight: read('--card-height'),
        stretch: read('--card-stretch') || 1,
      };
      if (width > 0 && JSON.stringify(found) !== JSON.stringify(sizes.peek())) sizes.value = found;
      seek();
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(grid);
    observer.observe(scroller);
    if (grid.parentElement) observer.observe(grid.parentElement); // what stands above the cards moves them
    scroller.addEventListener('scroll', scroll, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', scroll);
    };
  }, [look]);
  useLayoutEffect(() => void (isScrolled.current = false));
  useFind(board, root, () => sight.value.top <= 0 && sight.value.bottom >= (layout.value?.height ?? 0));

  const { top, bottom } = sight.value;
  const kept = [board.cards.full.value, focused.value].filter((key) => key !== null);
  const { boxes = [], height = 0, cardHeight = 0 } = layout.value ?? {};
  return (
    <div
      ref={root}
      class="groups"
      style={{ height, '--shown-height': `${cardHeight}px` }}
      onFocusIn={({ target }) => (focused.value = keyOf(target))}
      onFocusOut={({ relatedTarget }) => (focused.value = keyOf(relatedTarget))}
    >
      {boxes.map((box) => {
        const { group } = box;
        const seen = board.page.visible.value && box.top < bottom && box.top + box.height > top;
        const shown = new Set(
          kept.map((key) => group.cards.findIndex((other) => sameCard(other, key))).filter((i) => i >= 0),
        );
        if (!seen && shown.size === 0) return null;
        const [first, end] = seen ? cardsBetween(box, cardHeight, top, bottom) : [0, 0];
        for (let i = first; i < end; i++) shown.add(i);
        return (
          <section
            key={groupId(group)}
            class="group"
            data-group={group.kind === 'pinned' ? 'pinned' : group.name}
            aria-label={titleOf(board, group)}
            style={{ top: box.top, left: box.left, width: box.width, height: box.height }}
          >
            <GroupHead board={board} group={group} closed={box.closed} />
            {[...shown]
              .sort((a, b) => a - b)
              .map((i) => (
                <Kept
                  key={cardId(group.cards[i] as CardKey)}
                  board={board}
                  card={group.cards[i] as CardKey}
                  {...cardAt(box, i, cardHeight)}
                  content={card}
                  late={isScrolled.current}
                />
              ))}
            {!box.closed && box.count < group.cards.length && (
              <button
                type="button"
                class="more"
                data-action="more"
                onClick={() => (portions.value = new Map(portions.value).set(groupId(group), box.count + PORTION))}
              >
                {board.page.t('more', { count: group.cards.length - box.count })}
              </button>
            )}
          </section>
        );
      })}
    </div>
  );
}

interface KeptProps extends CardProps {
  /** Whether the content of a new card waits for a later frame. */
  readonly late: boolean;
}

/** A card that is rendered again when something of its own changes, and not whenever the grid was scrolled. */
function Kept({ late, ...props }: KeptProps): JSX.Element {
  const [hasContent, setContent] = useState(!late);
  useEffect(() => (hasContent ? undefined : takeTurn(() => setContent(true))), []);
  return useMemo(
    () => <Card {...props} content={hasContent ? props.content : nothing} />,
    [hasContent, ...Object.values(props)],
  );
}

const nothing = (): JSX.Element => <></>;

/** The card that an element is in. */
function keyOf(target: EventTarget | null): CardKey | null {
  const card = target instanceof Element ? target.closest<HTMLElement>('[data-testid="card"]') : null;
  return card && { tag: card.dataset['tag'] ?? '', run: card.dataset['cardRun'] ?? null };
}

function scrollerOf(element: HTMLElement): HTMLElement {
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.documentElement;
}

/**
 * The browser finds nothing in cards that do not exist: Ctrl+F goes to the tag filter, and from there to the browser.
 */
function useFind(board: CardParts, root: { readonly current: HTMLElement | null }, isWhole: () => boolean): void {
  useEffect(() => {
    const find = (event: KeyboardEvent): void => {
      const host = root.current?.closest<HTMLElement>('.kit');
      const filter = host?.querySelector('.tag-filter');
      const asked = event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (
        !asked ||
        !host ||
        !board.page.visible.value ||
        isWhole() ||
        document.activeElement === filter ||
        document.querySelector('dialog[open]')
      )
        return;
      event.preventDefault();
      focusOn(host, '.tag-filter');
    };
    addEventListener('keydown', find);
    return () => removeEventListener('keydown', find);
  }, []);
}

function titleOf(board: CardParts, { kind, name }: CardGroup): string {
  if (kind === 'pinned') return board.page.t('group.pinned');
  if (kind === 'tag') return board.page.titleOf(name);
  if (name === SINGLE_VALUES) return board.page.t('group.single');
  return name
    ? board.page.titleOf(name)
    : board.page.t(board.cards.groups.value.length === 1 ? 'group.all' : 'group.plain');
}

interface GroupHeadProps {
  readonly board: CardParts;
  readonly group: CardGroup;
  readonly closed: boolean;
}

function GroupHead({ board, group, closed }: GroupHeadProps): JSX.Element {
  const { name, kind, cards } = group;
  const title = titleOf(board, group);
  return (
    <h2>
      <button type="button" aria-expanded={!closed} title={title} onClick={() => board.cards.toggleGroup(name)}>
        <Icon name={closed ? 'closed' : 'open'} />
        <span class="name">{kind === 'tag' ? <TagName title={title} /> : title}</span>
        {(kind !== 'tag' || cards.length > 1) && <span class="count">{cards.length}</span>}
      </button>
      {kind === 'tag' && (
        <Button
          action="pin"
          icon="pin"
          label={board.page.t('pin')}
          pressed={board.cards.pins.value.includes(name)}
          onPress={() => board.cards.togglePin(name)}
        />
      )}
    </h2>
  );
}

const CALM = 3; // frames in which none came: the page no longer scrolls
const SOME = 3; // are rendered in a frame then; 1 before

const waiting = new Set<() => void>();
let frame = 0;
let calm = 0;

/** Calls `begin` in one of the next frames, in the order of the calls. Returns what takes that back. */
function takeTurn(begin: () => void): () => void {
  waiting.add(begin);
  calm = 0;
  frame ||= requestAnimationFrame(next);
  return () => void waiting.delete(begin);
}

function next(): void {
  const due = [...waiting].slice(0, calm++ < CALM ? 1 : SOME);
  for (const begin of due) waiting.delete(begin);
  frame = waiting.size > 0 ? requestAnimationFrame(next) : 0;
  for (const begin of due) begin();
}
