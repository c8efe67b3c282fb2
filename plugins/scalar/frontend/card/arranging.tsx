/** Cards are dragged by their head, sections by their heading; cards are resized by their corner. */
import { drag } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ScalarParts } from '../board';
import { tagsOf } from './arrangement';
import { dragged, pressed, sizeFrom, type CardSizes } from './card_size';

const SLOP = 6; // pixels that a press may wander

interface Carried {
  /** What a press takes along; null: nothing. */
  readonly from: (pressed: Element) => HTMLElement | null;
  /** Where that can be dropped: the element under the pointer, or null. */
  readonly over: (under: Element, from: HTMLElement) => HTMLElement | null;
  readonly drop: (from: HTMLElement, to: HTMLElement) => void;
}

/** Follows a press: what it takes along is dropped where it is released. */
export function carry(event: PointerEvent, { from, over, drop }: Carried): void {
  const taken = event.target instanceof Element ? from(event.target) : null;
  if (!taken) return;
  let target: HTMLElement | null = null;
  const mark = (next: HTMLElement | null): void => {
    target?.classList.remove('over');
    target = next;
    target?.classList.add('over');
  };
  drag(event, {
    slop: SLOP,
    move: ({ clientX, clientY }) => {
      getSelection()?.removeAllRanges();
      const under = document.elementFromPoint(clientX, clientY);
      const found = under && over(under, taken);
      mark(found === taken ? null : found);
    },
    end: () => {
      const found = target;
      mark(null);
      if (found) drop(taken, found);
    },
    cancel: () => mark(null),
  });
}

/** Lets the user drag cards and sections of the board around `place`. */
export function useArranging(board: ScalarParts, place: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const root = place.current?.closest<HTMLElement>('.kit');
    if (!root) return;
    const press = (event: PointerEvent): void => {
      carry(event, cards(board));
      carry(event, sections(board));
    };
    root.addEventListener('pointerdown', press);
    return () => root.removeEventListener('pointerdown', press);
  }, []);
}

/** The card whose head was pressed; null on a control in it. */
export const byHead =
  (card: string) =>
  (pressed: Element): HTMLElement | null =>
    pressed.closest('button, a, input') ? null : (pressed.closest('header')?.closest<HTMLElement>(card) ?? null);

const CARD = '[data-testid="card"]:not(.full)';

function cards({ arrangement }: ScalarParts): Carried {
  const tagOf = (card: HTMLElement): string => card.dataset['tag'] ?? '';
  return {
    from: byHead(CARD),
    over: (under, from) => {
      const card = under.closest<HTMLElement>(CARD);
      return card?.parentElement === from.parentElement ? card : null;
    },
    drop: (from, to) => {
      const group = arrangement.groupOf(tagOf(from));
      if (group) arrangement.moveCard(tagOf(from), tagsOf(group).indexOf(tagOf(to)));
    },
  };
}

function sections({ arrangement }: ScalarParts): Carried {
  const nameOf = (section: HTMLElement): string => section.dataset['group'] ?? '';
  const isMovable = (section: HTMLElement | null | undefined): section is HTMLElement =>
    section !== null && section !== undefined && arrangement.groups.some(({ name }) => name === nameOf(section));
  return {
    from: (pressed) => {
      const section = pressed.closest('h2')?.closest<HTMLElement>('[data-group]');
      return isMovable(section) ? section : null;
    },
    over: (under) => {
      const section = under.closest<HTMLElement>('[data-group]');
      return isMovable(section) ? section : null;
    },
    drop: (from, to) => {
      const names = arrangement.groups.map(({ name }) => name);
      arrangement.moveSection(nameOf(from), names.indexOf(nameOf(to)));
    },
  };
}

interface CornerProps {
  readonly label: string;
  /** The corner was moved so far, in pixels, since it was pressed. */
  readonly onMove: (dx: number, dy: number) => void;
  /** It was released, or put back. */
  readonly onEnd: (isKept: boolean) => void;
  /** Whether the key resizes. */
  readonly onKey: (key: string) => boolean;
}

/** The corner by which a card is resized: dragged, or with arrow keys. */
export function Corner({ label, onMove, onEnd, onKey }: CornerProps): JSX.Element {
  return (
    <button
      type="button"
      class="corner"
      data-action="resize"
      aria-label={label}
      title={label}
      onKeyDown={(event) => {
        if (onKey(event.key)) event.preventDefault();
      }}
      onPointerDown={(event) => {
        event.stopPropagation();
        drag(event, {
          move: (_, dx, dy) => onMove(dx, dy),
          end: () => onEnd(true),
          cancel: () => onEnd(false),
        });
      }}
    />
  );
}

interface CardCornerProps {
  readonly board: ScalarParts;
  /** The card. */
  readonly place: { readonly current: HTMLElement | null };
}

/** The corner of a card of the board: all cards follow, as all have one size. */
export function CardCorner({ board, place }: CardCornerProps): JSX.Element {
  const before = useRef<{ readonly chosen: CardSizes; readonly size: CardSizes; readonly width: number } | null>(null);
  const { size } = board;
  const current = (): CardSizes => {
    const { offsetWidth: width = 0, offsetHeight: height = 0 } = place.current ?? {};
    return sizeFrom(size.setting.value, { width, height });
  };
  const boardWidth = (): number => place.current?.closest('.groups')?.clientWidth ?? 0;
  return (
    <Corner
      label={board.page.t('size.corner')}
      onMove={(dx, dy) => {
        before.current ??= { chosen: size.setting.value, size: current(), width: boardWidth() };
        size.set(dragged(before.current.size, dx, dy, before.current.width));
      }}
      onEnd={(isKept) => {
        if (!isKept && before.current) size.set(before.current.chosen);
        before.current = null;
      }}
      onKey={(key) => {
        const next = pressed(key, current(), boardWidth());
        if (next) size.set(next);
        return next !== null;
      }}
    />
  );
}
