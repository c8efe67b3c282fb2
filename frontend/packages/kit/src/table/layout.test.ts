import { expect, it } from 'vitest';
import { layoutOf } from './layout';

const column = (key: string, width: number, grows = false): { key: string; width: number; grows: boolean } => ({
  key,
  width,
  grows,
});

it('columns of different widths are found by their pixels', () => {
  const layout = layoutOf([column('run', 230)], [column('a', 100), column('b', 40), column('c', 60)], new Map(), 300);
  expect([layout.side, layout.count, layout.total]).toEqual([230, 3, 200]);
  expect([0, 99, 100, 139, 140, 199, 999].map((pixel) => layout.columnAt(pixel))).toEqual([0, 0, 1, 1, 2, 2, 2]);
  expect([layout.leftOf(1), layout.widthOf(1), layout.leftOf(3)]).toEqual([100, 40, 200]);
});

it('a width that the user has set counts instead of the width of the column', () => {
  const layout = layoutOf(
    [column('run', 230)],
    [column('a', 100), column('b', 40)],
    new Map([
      ['a', 300],
      ['run', 80],
    ]),
    300,
  );
  expect([layout.side, layout.total, layout.leftOf(1)]).toEqual([80, 340, 300]);
});

it('columns that grow share the room that is left, and a column that the user has resized does not grow', () => {
  const columns = [column('a', 100, true), column('b', 50)];
  expect(layoutOf([column('run', 50, true)], columns, new Map(), 400).frozen).toEqual([{ left: 0, width: 150 }]);
  expect(layoutOf([column('run', 50, true)], columns, new Map([['run', 60]]), 400).frozen).toEqual([
    { left: 0, width: 60 },
  ]);
  expect(layoutOf([column('run', 50, true)], columns, new Map(), 100).total).toBe(150);
});

it('a million even columns need no list', () => {
  const layout = layoutOf(
    [],
    { count: 1_000_000, width: 80, at: (place: number) => column(String(place), 80) },
    new Map(),
    300,
  );
  expect([layout.total, layout.columnAt(79_999_999), layout.columnAt(1e12), layout.leftOf(5)]).toEqual([
    80_000_000, 999_999, 999_999, 400,
  ]);
});

it('a table without columns has no width', () => {
  expect([layoutOf([], [], new Map(), 300).total, layoutOf([], [], new Map(), 300).columnAt(10)]).toEqual([0, 0]);
});
