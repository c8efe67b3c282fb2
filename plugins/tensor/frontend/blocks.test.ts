import type { Columns } from '@insight-host/api';
import { describe, expect, it } from 'vitest';
import { around, Block, covers, decodeValues } from './blocks';

type Column = ReturnType<Columns['column']>;

function answer(said: object, columns: Readonly<Record<string, Column>>): Columns {
  return {
    metadata: { tensor: JSON.stringify(said) },
    names: Object.keys(columns),
    column: (name) => columns[name] as Column,
  };
}

const range = (dimension: number, start: number, stop: number): object => ({ dimension, start, stop });
const said = {
  dtype: 'float32',
  kind: 'float',
  shape: [9, 8],
  slice: '[2:, :]',
  open: [range(0, 2, 9), range(1, 0, 8)],
  given: [range(0, 4, 6), range(1, 1, 3)],
  bounded: false,
};

describe('an answer', () => {
  it('counts from the first row and column of the slice', () => {
    const { sheet, block } = decodeValues(answer(said, { values: Float32Array.of(1, 2, 3, 4) }));
    expect([sheet.rows, sheet.columns]).toEqual([7, 8]);
    expect(block.area).toEqual({ row: 2, rowEnd: 4, column: 1, columnEnd: 3 });
    expect(block.at(3, 2)).toEqual({ real: 4 });
    expect([block.has(2, 1), block.has(4, 1), block.has(2, 0)]).toEqual([true, false, false]);
  });

  it('of one value, of a vector', () => {
    const one = decodeValues(answer({ ...said, shape: [], open: [], given: [] }, { values: Float64Array.of(2.5) }));
    expect([one.sheet.rows, one.sheet.columns, one.block.at(0, 0)]).toEqual([1, 1, { real: 2.5 }]);
    expect(one.block.single).toBe(false);
    const vector = decodeValues(
      answer({ ...said, open: [range(0, 0, 5)], given: [range(0, 1, 3)] }, { values: Int32Array.of(7, 8) }),
    );
    expect([vector.sheet.rows, vector.sheet.columns]).toEqual([5, 1]);
    expect(vector.block.at(2, 0)).toEqual({ real: 8 });
  });

  it('holds every type', () => {
    const open = [range(0, 0, 2)];
    const of = (more: object, columns: Readonly<Record<string, Column>>): Block =>
      decodeValues(answer({ ...said, open, given: open, ...more }, columns)).block;
    expect(of({ dtype: 'uint64' }, { values: BigInt64Array.of(-1n, 3n) }).at(0, 0)).toEqual({
      real: 18446744073709551615n,
    });
    expect(of({ dtype: 'int64' }, { values: BigInt64Array.of(-1n, 3n) }).at(0, 0)).toEqual({ real: -1n });
    expect(of({}, { real: Float32Array.of(1, 2), imaginary: Float32Array.of(3, 4) }).at(1, 0)).toEqual({
      real: 2,
      imaginary: 4,
    });
    expect(of({ texts: ['a', 'b'] }, {}).at(1, 0)).toMatchObject({ text: 'b' });
    expect(of({ texts: [['a'], ['b']] }, {}).at(1, 0)).toMatchObject({ text: 'b' });
  });
});

describe('areas', () => {
  const area = { row: 10, rowEnd: 20, column: 0, columnEnd: 5 };
  const block = new Block(area, [], null, null, false);

  it('are covered by one block', () => {
    expect(covers([block], { row: 12, rowEnd: 20, column: 1, columnEnd: 5 })).toBe(true);
    expect(covers([block], { row: 9, rowEnd: 12, column: 0, columnEnd: 5 })).toBe(false);
    expect(covers([], { row: 5, rowEnd: 5, column: 0, columnEnd: 5 })).toBe(true);
  });

  it('are asked for with as much again around them', () => {
    expect(around(area, { rows: 25, columns: 100 }, 1000)).toEqual({ row: 0, rowEnd: 25, column: 0, columnEnd: 10 });
    expect(around(area, { rows: 25, columns: 100 }, 100)).toEqual(area);
  });
});
