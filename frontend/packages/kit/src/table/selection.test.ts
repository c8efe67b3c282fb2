import { describe, expect, it } from 'vitest';
import { areaOf, selectionAfter, type Selection } from './selection';

const extent = { rows: 100, columns: 5 };
const at = (row: number, column: number): Selection => ({ anchor: { row, column }, focus: { row, column } });
const press = (
  selection: Selection | null,
  key: string,
  more: { shift?: boolean; ctrl?: boolean } = {},
): Selection | null => selectionAfter(selection, { key, shift: false, ctrl: false, ...more }, extent, 10);

describe('keys of a table', () => {
  it('move within it', () => {
    expect(press(at(3, 2), 'ArrowDown')).toEqual(at(4, 2));
    expect(press(at(0, 0), 'ArrowUp')).toEqual(at(0, 0));
    expect(press(at(3, 4), 'ArrowRight')).toEqual(at(3, 4));
    expect(press(at(95, 0), 'PageDown')).toEqual(at(99, 0));
    expect(press(at(3, 2), 'End')).toEqual(at(3, 4));
    expect(press(at(3, 2), 'Home', { ctrl: true })).toEqual(at(0, 0));
    expect(press(at(3, 2), 'ArrowDown', { ctrl: true })).toEqual(at(99, 2));
  });

  it('begin at the first cell', () => expect(press(null, 'ArrowDown')).toEqual(at(0, 0)));

  it('with Shift extend what is selected', () => {
    const selected = press(press(at(3, 2), 'ArrowDown', { shift: true }), 'ArrowLeft', { shift: true }) as Selection;
    expect(areaOf(selected)).toEqual({ row: 3, rowEnd: 5, column: 1, columnEnd: 3 });
  });

  it('select everything', () =>
    expect(areaOf(press(at(3, 2), 'a', { ctrl: true }) as Selection)).toEqual({
      row: 0,
      rowEnd: 100,
      column: 0,
      columnEnd: 5,
    }));

  it('that mean nothing are left to others', () => {
    expect(press(at(0, 0), 'f')).toBeNull();
    expect(press(at(0, 0), 'a')).toBeNull();
    expect(selectionAfter(null, { key: 'ArrowUp', shift: false, ctrl: false }, { rows: 0, columns: 3 }, 1)).toBeNull();
  });
});
