import type { CardGroup } from '../base/groups';
import { FINGER, isPhone } from '../base/phone';

export interface GridSizes {
  /** Of the grid, in pixels. */
  readonly width: number;
  /** The least width of a card. */
  readonly cardWidth: number;
  readonly cardHeight: number;
  /** How many times as high cards may become where few of them share the width; 1: they keep their size. */
  readonly stretch: number;
}

/** Where a group stands in the grid, in pixels from the top left corner of the grid. */
export interface GroupBox {
  readonly group: CardGroup;
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  /** How many of its cards have a place; the others wait behind “more”. 0 while the group is closed. */
  readonly count: number;
  readonly closed: boolean;
}

export interface GridLayout {
  /** Of each card, in whole pixels. */
  readonly cardHeight: number;
  readonly boxes: readonly GroupBox[];
  readonly height: number;
}

export const HEAD = 42; // pixels of a group's heading with its margins
const GAP = 12; // between cards
const more = (): number => (isPhone.value ? FINGER + GAP : 36); // the button below the cards of a group

/** The left edge and the width of one of `columns` columns, in whole pixels so that canvases stay sharp. */
export function columnAt(
  column: number,
  columns: number,
  width: number,
): { readonly left: number; readonly width: number } {
  const left = Math.round((column * (width + GAP)) / columns);
  return { left, width: Math.round(((column + 1) * (width + GAP)) / columns) - GAP - left };
}

const isSingle = ({ cards, kind }: CardGroup): boolean => cards.length === 1 && kind !== 'pinned';

const WIDEST = 720; // pixels: wider cards read no better

/**
 * How many cards each group has in a line, where cards stretch: the lines of a group are about equally full, and as few
 * as there can be. A run of groups of one card is as one group.
 */
function columnsOf(groups: readonly CardGroup[], most: number): readonly number[] {
  const found: number[] = [];
  while (found.length < groups.length) {
    let end = found.length;
    while (groups[end] && isSingle(groups[end] as CardGroup)) end++;
    const cards = end - found.length || (groups[end] as CardGroup).cards.length || 1;
    do found.push(Math.ceil(cards / Math.ceil(cards / most)));
    while (found.length < end);
  }
  return found;
}

/** Places groups below each other. A group of one card takes one column: such groups share a line. */
export function layOut(
  groups: readonly CardGroup[],
  sizes: GridSizes,
  isClosed: (group: CardGroup) => boolean,
  shownOf: (group: CardGroup) => number,
): GridLayout {
  const { cardWidth, stretch } = sizes;
  const most = Math.max(1, Math.floor((sizes.width + GAP) / (cardWidth + GAP)));
  const columnsIn = stretch > 1 ? columnsOf(groups, most) : groups.map(() => most);
  const widest = stretch > 1 ? WIDEST + GAP : Infinity;
  const widthOf = (columns: number): number => Math.min(sizes.width, columns * widest - GAP);
  const cardAcross = (columns: number): number => columnAt(0, columns, widthOf(columns)).width;
  const wider = cardAcross(Math.max(1, ...columnsIn)) / cardAcross(most);
  const cardHeight = Math.round(sizes.cardHeight * Math.min(stretch, wider));
  const boxes: GroupBox[] = [];
  let [top, column, line] = [0, 0, 0]; // of the next group; how high the line is that it may share
  for (const [at, group] of groups.entries()) {
    const single = isSingle(group);
    const columns = columnsIn[at] as number;
    const width = widthOf(columns);
    if (column > 0 && (!single || column === columns)) [top, column, line] = [top + line, 0, 0];
    const closed = isClosed(group);
    const count = closed ? 0 : Math.min(group.cards.length, shownOf(group));
    const rows = Math.ceil(count / columns);
    const height =
      HEAD + (rows > 0 ? rows * (cardHeight + GAP) - GAP : 0) + (!closed && count < group.cards.length ? more() : 0);
    if (single) {
      boxes.push({ group, top, height, ...columnAt(column, columns, width), columns: 1, count, closed });
      [column, line] = [column + 1, Math.max(line, height)];
    } else {
      boxes.push({ group, top, height, left: 0, width, columns, count, closed });
      top += height;
    }
  }
  return { cardHeight, boxes, height: top + line };
}

/** The place of a card in its group, in pixels from the group's top left corner. */
export function cardAt(
  box: GroupBox,
  index: number,
  cardHeight: number,
): { readonly top: number; readonly left: number; readonly width: number } {
  return {
    top: HEAD + Math.floor(index / box.columns) * (cardHeight + GAP),
    ...columnAt(index % box.columns, box.columns, box.width),
  };
}

/** The cards of a group between two heights of the grid: from the first to before the last. */
export function cardsBetween(
  box: GroupBox,
  cardHeight: number,
  from: number,
  to: number,
): readonly [first: number, end: number] {
  const row = (at: number): number => (at - box.top - HEAD) / (cardHeight + GAP);
  const first = Math.max(0, Math.floor(row(from + GAP))) * box.columns;
  return [Math.min(first, box.count), Math.min(box.count, Math.max(0, Math.ceil(row(to))) * box.columns)];
}
