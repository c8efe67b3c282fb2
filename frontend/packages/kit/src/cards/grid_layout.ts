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

/** Groups that follow each other and are of one kind share lines, but for those of several cards. */
type Kind = 'closed' | 'single' | 'several';

/**
 * How many cards each group has in a line, where cards stretch: the lines of a group are about equally full, and as few
 * as there can be. A run of groups of one card is as one group.
 */
function columnsOf(groups: readonly CardGroup[], kinds: readonly Kind[], most: number): readonly number[] {
  const found: number[] = [];
  while (found.length < groups.length) {
    let end = found.length;
    while (kinds[end] === 'single') end++;
    const cards = end - found.length || (groups[end] as CardGroup).cards.length || 1;
    const columns = kinds[found.length] === 'closed' ? most : Math.ceil(cards / Math.ceil(cards / most));
    do found.push(columns);
    while (found.length < end);
  }
  return found;
}

/** Places groups below each other. Groups of one card, and closed ones, take one column: such groups share a line. */
export function layOut(
  groups: readonly CardGroup[],
  sizes: GridSizes,
  isClosed: (group: CardGroup) => boolean,
  shownOf: (group: CardGroup) => number,
): GridLayout {
  const { width, cardWidth, stretch } = sizes;
  const most = Math.max(1, Math.floor((width + GAP) / (cardWidth + GAP)));
  const kinds = groups.map((group): Kind => {
    if (isClosed(group)) return 'closed';
    return group.cards.length === 1 && group.kind !== 'pinned' ? 'single' : 'several';
  });
  const columnsIn = stretch > 1 ? columnsOf(groups, kinds, most) : groups.map(() => most);
  const cardAcross = (columns: number): number => columnAt(0, columns, width).width;
  const open = columnsIn.filter((_, at) => kinds[at] !== 'closed');
  const wider = cardAcross(Math.max(1, ...open)) / cardAcross(most);
  const cardHeight = Math.round(sizes.cardHeight * Math.min(stretch, wider));
  const boxes: GroupBox[] = [];
  let [top, column, line] = [0, 0, 0]; // of the next group; how high the line is that it may share
  for (const [at, group] of groups.entries()) {
    const kind = kinds[at] as Kind;
    const columns = columnsIn[at] as number;
    if (column > 0 && (kind === 'several' || kind !== kinds[at - 1] || column === columns))
      [top, column, line] = [top + line, 0, 0];
    const closed = kind === 'closed';
    const count = closed ? 0 : Math.min(group.cards.length, shownOf(group));
    const rows = Math.ceil(count / columns);
    const height =
      HEAD + (rows > 0 ? rows * (cardHeight + GAP) - GAP : 0) + (!closed && count < group.cards.length ? more() : 0);
    if (kind === 'several') {
      boxes.push({ group, top, height, left: 0, width, columns, count, closed });
      top += height;
    } else {
      boxes.push({ group, top, height, ...columnAt(column, columns, width), columns: 1, count, closed });
      [column, line] = [column + 1, Math.max(line, height)];
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
