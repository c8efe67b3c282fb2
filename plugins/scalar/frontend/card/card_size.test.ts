import { describe, expect, it } from 'vitest';
import { columnsOf, dragged, pressed, sizeCodec, sizeFrom, USUAL, widthOf } from './card_size';

describe('the size of cards', () => {
  it('is in the URL unless it is the usual one, and never absurd', () => {
    expect([sizeCodec.parse(null), sizeCodec.parse('wide'), sizeCodec.parse('9x9')]).toEqual([
      USUAL,
      USUAL,
      { width: 200, height: 140 },
    ]);
    expect(sizeCodec.format(USUAL)).toBeNull();
    expect(sizeCodec.parse(sizeCodec.format({ width: 500, height: 300 }))).toEqual({ width: 500, height: 300 });
  });

  it('fills the board with as many cards as were asked for, on every width', () => {
    for (const board of [700, 936, 1628, 2400])
      for (const columns of [1, 2, 3, 4]) expect(columnsOf(widthOf(columns, board), board)).toBe(columns);
  });

  it('follows the corner of a card: one card fills the board when it is dragged far enough', () => {
    const board = 1628; // of a window of 1920 pixels
    expect(columnsOf(dragged(USUAL, 80, 0, board).width, board)).toBe(4);
    expect(columnsOf(dragged(USUAL, 900, 0, board).width, board)).toBe(1);
    expect(columnsOf(dragged({ width: 2400, height: 256 }, -1000, 0, board).width, board)).toBe(3);
    expect(dragged(USUAL, 10, 44, board)).toEqual({ width: USUAL.width, height: 300 });
  });

  it('changes from what is seen, where cards of the usual size are stretched', () => {
    const shown = { width: 808, height: 410 };
    expect(sizeFrom(USUAL, shown)).toEqual(shown);
    expect(sizeFrom(USUAL, { width: 486, height: USUAL.height })).toEqual({ width: 486, height: USUAL.height });
    expect(sizeFrom(USUAL, { width: 316, height: USUAL.height })).toBe(USUAL);
    expect(sizeFrom({ width: 500, height: 300 }, shown)).toEqual({ width: 500, height: 300 });
  });

  it('follows arrow keys', () => {
    const board = 1628;
    expect(columnsOf(pressed('ArrowRight', USUAL, board)!.width, board)).toBe(columnsOf(USUAL.width, board) - 1);
    expect(columnsOf(pressed('ArrowLeft', USUAL, board)!.width, board)).toBe(columnsOf(USUAL.width, board) + 1);
    expect(pressed('ArrowDown', USUAL, board)).toEqual({ width: USUAL.width, height: 276 });
    expect(pressed('x', USUAL, board)).toBeNull();
  });
});
