import { describe, expect, it } from 'vitest';
import { cellsOf, changeRangeOf, painted, rangeOf, span, worstOf } from './heat_map_cells';

const GREY = [1, 1, 1] as const;
const SHADES = [
  [10, 0, 0],
  [20, 0, 0],
  [30, 0, 0],
] as const;

describe('the colours of a heat map', () => {
  it('end at outliers, so that the rest keeps its differences', () => {
    const steady = Array.from({ length: 40 }, (_, i) => 3 + (i % 10) / 5);
    const range = rangeOf(cellsOf([[...steady, 263]], 'largest'));
    expect(range.high).toBeGreaterThan(4.8);
    expect(range.high).toBeLessThan(10);
  });

  it('do not make a pattern of noise', () => {
    expect(rangeOf(cellsOf([[100, 100.5, 99.5, 100]], 'largest'))).toEqual({ low: expect.closeTo(80.4), high: 100.5 });
    expect(changeRangeOf(cellsOf([[0.01, -0.02, 0, 0.01]], 'largest'))).toEqual({ low: -0.1, high: 0.1 });
    expect(rangeOf(cellsOf([[null, null]], 'largest'))).toEqual({ low: 0, high: 1 });
  });

  it('show the worst of the cells that share a pixel, and what is not known as such', () => {
    const rows = Array.from({ length: 1024 }, (_, row) => [row === 700 ? 9 : 5, null]);
    const pixels = painted(cellsOf(rows, 'largest'), { low: 0, high: 10 }, 2, 100, SHADES, GREY);
    const reds = Array.from({ length: 100 }, (_, y) => pixels[4 * 2 * y]);
    expect(reds.filter((red) => red === 30)).toHaveLength(1);
    expect(reds.filter((red) => red === 20)).toHaveLength(99);
    expect(pixels[4]).toBe(1);
    const small = painted(cellsOf(rows, 'smallest'), { low: 0, high: 10 }, 1, 100, SHADES, GREY);
    expect(new Set(Array.from({ length: 100 }, (_, y) => small[4 * y]))).toEqual(new Set([20]));
  });

  it('show the columns of a window, and nothing beyond the ends', () => {
    const cells = cellsOf([[5, 7, 9, 5]], 'largest');
    const reds = (window: readonly [number, number]): readonly (number | undefined)[] => {
      const pixels = painted(cells, { low: 5, high: 9 }, 4, 1, SHADES, GREY, window);
      return [0, 1, 2, 3].map((x) => pixels[4 * x]);
    };
    expect(reds([0, 4])).toEqual([10, 20, 30, 10]);
    expect(reds([1, 3])).toEqual([20, 20, 30, 30]);
    expect(reds([-2, 6])).toEqual([1, 20, 30, 1]);
    expect(reds([-4, 0])).toEqual([1, 1, 1, 1]);
  });

  it('belong to all cells, each to one place', () => {
    for (const [places, count] of [
      [100, 1024],
      [460, 1024],
      [7, 7],
      [3, 5],
    ] as const) {
      const spans = Array.from({ length: places }, (_, at) => span(at, places, count));
      expect(spans[0]?.[0]).toBe(0);
      expect(spans.at(-1)?.[1]).toBe(count);
      spans.slice(1).forEach(([first], i) => expect(first).toBe(spans[i]?.[1]));
    }
  });

  it('name the cell that shows', () => {
    const cells = cellsOf(
      [
        [1, null],
        [3, 2],
      ],
      'largest',
    );
    expect(worstOf(cells, [0, 2], [0, 2])).toEqual([1, 0]);
    expect(worstOf({ ...cells, worst: 'smallest' }, [0, 2], [0, 2])).toEqual([0, 0]);
    expect(worstOf(cells, [0, 1], [1, 2])).toBeNull();
  });
});
