import { describe, expect, it } from 'vitest';
import { cardAt, cardsBetween, columnAt, HEAD, layOut, type GroupBox } from './grid_layout';
import type { CardGroup } from '../base/groups';

const sizes = { width: 1000, cardWidth: 312, cardHeight: 256, stretch: 1 };
const group = (name: string, count: number, kind: CardGroup['kind'] = 'tag'): CardGroup => ({
  name,
  kind,
  cards: Array.from({ length: count }, (_, i) => ({ tag: name, run: String(i) })),
});
const placed = (groups: readonly CardGroup[], closed = '', most = Infinity): readonly GroupBox[] =>
  layOut(
    groups,
    sizes,
    ({ name }) => name === closed,
    () => most,
  ).boxes;

describe('the places of cards', () => {
  it('fill whole pixels of the width', () => {
    const columns = [0, 1, 2].map((column) => columnAt(column, 3, 1000));
    expect(columns.every(({ left, width }) => Number.isInteger(left) && Number.isInteger(width))).toBe(true);
    expect([columns[0]?.left, (columns[2]?.left ?? 0) + (columns[2]?.width ?? 0)]).toEqual([0, 1000]);
    expect(columns.slice(1).map(({ left }, i) => left - (columns[i]?.left ?? 0) - (columns[i]?.width ?? 0))).toEqual([
      12, 12,
    ]);
  });

  it('of groups are below each other, but for groups of one card, which share lines', () => {
    const boxes = placed([
      group('a', 4),
      group('b', 1),
      group('c', 1),
      group('d', 1),
      group('e', 1),
      group('f', 2),
      group('g', 1, 'pinned'),
    ]);
    const [a, one, full] = [HEAD + 2 * 256 + 12, HEAD + 256, HEAD + 256];
    expect(boxes.map(({ top }) => top)).toEqual([0, a, a, a, a + one, a + 2 * one, a + 2 * one + full]);
    expect(boxes.map(({ left, columns }) => [left, columns])).toEqual([
      [0, 3],
      [0, 1],
      [337, 1],
      [675, 1],
      [0, 1],
      [0, 3],
      [0, 3],
    ]);
  });

  it('of closed groups are their headings, which share lines and leave no hole among open ones', () => {
    const groups = [group('a', 1), group('b', 1), group('c', 9), group('d', 1), group('e', 9)];
    const { boxes } = layOut(
      groups,
      { ...sizes, stretch: 1.6 },
      ({ name }) => name >= 'c',
      () => Infinity,
    );
    expect(boxes.map(({ top, left, width, count }) => [top, left, width, count])).toEqual([
      [0, 0, 494, 1],
      [0, 506, 494, 1],
      [HEAD + 389, 0, 325, 0],
      [HEAD + 389, 337, 326, 0],
      [HEAD + 389, 675, 325, 0],
    ]);
  });

  it('have room for the button where cards wait', () => {
    const [box] = placed([group('a', 9)], '', 4);
    expect([box?.count, box?.height]).toEqual([4, HEAD + 2 * 256 + 12 + 36]);
  });

  it.each([
    [984, 'a group of two', [group('a', 2)], [486]],
    [984, 'four, in two lines', [group('a', 4)], [486]],
    [984, 'groups next to one with full lines', [group('a', 2), group('b', 9)], [486, 320]],
    [1628, 'a group of two', [group('a', 2)], [808]],
    [1628, 'one card', [group('a', 1)], [1628]],
    [1628, 'groups of one card, which share a line', [group('a', 1), group('b', 1), group('c', 1)], [535, 534, 535]],
    [1628, 'nine, in two lines', [group('a', 9)], [316]],
    [2268, 'groups of three and of eight', [group('a', 3), group('b', 8)], [748, 558]],
  ])('fill their lines on %i pixels: %s', (width, _, groups, expected) => {
    const { boxes } = layOut(
      groups,
      { ...sizes, width, stretch: 1.6 },
      () => false,
      () => Infinity,
    );
    expect(boxes.map((box) => cardAt(box, 0, 256).width)).toEqual(expected);
    const ends = boxes.map((box) => box.left + box.width);
    expect(Math.max(...ends)).toBe(width);
  });

  it.each([
    ['few, up to so many times', [group('a', 2)], 410],
    ['a line of nearly as many as there is room for', [group('a', 4)], 321],
    ['as many as there is room for', [group('a', 2), group('b', 5)], 256],
  ])('are as high as they are wide where these are %s', (_, groups, height) => {
    const layout = layOut(
      groups,
      { ...sizes, width: 1628, stretch: 1.6 },
      () => false,
      () => Infinity,
    );
    expect(Math.abs(layout.cardHeight - height)).toBeLessThanOrEqual(1);
  });

  it('need no more width than there is', () => {
    const { boxes } = layOut(
      [group('a', 2)],
      { ...sizes, width: 200 },
      () => false,
      () => Infinity,
    );
    expect(boxes.map((box) => [box.columns, cardAt(box, 1, 256)])).toEqual([
      [1, { top: HEAD + 268, left: 0, width: 200 }],
    ]);
  });

  it.each([
    [0, 100],
    [HEAD + 256, 400],
    [HEAD + 255, 311],
    [600, 5000],
    [-500, 0],
    [HEAD + 268, HEAD + 268],
  ])('between %d and %d are those that reach into it', (from, to) => {
    const [box] = placed([group('a', 20)]) as [GroupBox];
    const [first, end] = cardsBetween(box, 256, from, to);
    const meets = (i: number): boolean => {
      const { top } = cardAt(box, i, 256);
      return top < to && top + 256 > from;
    };
    const expected = Array.from({ length: 20 }, (_, i) => i).filter(meets);
    expect(Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i)).toEqual(expected);
  });
});
