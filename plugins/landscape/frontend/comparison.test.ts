import { describe, expect, it } from 'vitest';
import { GAP, tilingOf } from './comparison';

/** The height that all rows take together. */
function taken(width: number, height: number, count: number): number {
  const tiling = tilingOf(width, height, count);
  const rows = Math.ceil(count / tiling.columns);
  return rows * tiling.height + (rows - 1) * GAP;
}

describe('tiles of landscapes', () => {
  // What is left for tiles in a window of 1280 by 800 and of 1920 by 1080.
  it.each([
    [704, 560, 1],
    [704, 560, 2],
    [1344, 860, 1],
    [1344, 860, 2],
    [1344, 860, 3],
    [1344, 860, 4],
    [1344, 860, 6],
    [1344, 860, 8],
  ])('in %d by %d, %d of them use most of the height and need no scrolling', (width, height, count) => {
    expect(taken(width, height, count)).toBeLessThanOrEqual(height);
    expect(taken(width, height, count)).toBeGreaterThan(0.75 * height);
  });

  it('are as large as they can be: two side by side rather than two flat ones', () => {
    expect(tilingOf(704, 560, 2).columns).toBe(2);
    expect(tilingOf(1344, 860, 6).columns).toBe(3);
  });

  it('scroll rather than become too small to read', () => {
    expect(tilingOf(704, 560, 40)).toEqual({ columns: 2, height: 260 });
    expect(tilingOf(400, 300, 5)).toEqual({ columns: 1, height: 300 });
  });

  it('are placed even without enough room', () => {
    expect(tilingOf(0, 0, 3)).toEqual({ columns: 1, height: 240 });
    expect(tilingOf(700, 500, 0)).toEqual({ columns: 1, height: 500 });
  });
});
