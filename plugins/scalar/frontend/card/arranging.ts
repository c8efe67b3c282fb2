/** Cards are dragged by their head, sections by their heading. */
import { drag } from '@insight-host/kit';
import { useEffect } from 'preact/hooks';
import type { ScalarParts } from '../board';
import { tagsOf } from './arrangement';

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
