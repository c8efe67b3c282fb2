import { describe, expect, it } from 'vitest';
import type { Line } from './props';
import { yRange } from './y_range';

const line = (x: readonly number[], y: readonly number[]): Line => ({ id: 'a', label: 'a', color: 'red', x, y });
const along = (y: readonly number[]): Line => line(Array.from(y.keys()), y);
const plain = { log: false, ignoreOutliers: false };
const robust = { log: false, ignoreOutliers: true };
const WINDOW = [0, 1000] as const;

describe('y range', () => {
  it('is padded and looks only at what is in the window', () => {
    const [lo, hi] = yRange([line([0, 1, 2], [0, 10, 1000])], [0, 1], plain).range;
    expect(lo).toBeLessThan(0);
    expect(hi).toBeGreaterThan(10);
    expect(hi).toBeLessThan(12);
  });

  it('survives constants, emptiness, infinities and the largest numbers', () => {
    expect(yRange([line([0, 1], [5, 5])], [0, 1], plain).range[0]).toBeLessThan(5);
    expect(yRange([line([0, 1], [NaN, Infinity])], [0, 1], plain).range).toEqual([0, 1]);
    const [lo, hi] = yRange([line([0, 1], [-1.7e308, 1.7e308])], [0, 1], plain).range;
    expect(Number.isFinite(lo) && Number.isFinite(hi) && lo < hi).toBe(true);
  });

  it('moves in steps while points arrive', () => {
    const range = (top: number): readonly [number, number] => yRange([line([0, 1], [0, top])], [0, 1], plain).range;
    expect(range(10.001)).toEqual(range(10.002));
  });
});

/** A run whose loss falls from `from` to a tenth of it. */
const falling = (from: number): Line => along(Array.from({ length: 50 }, (_, i) => from * (0.1 + 0.9 * 0.9 ** i)));
/** A run whose loss grows with each step up to `to`. */
const diverging = (to: number): Line => along(Array.from({ length: 50 }, (_, i) => 2.4 + to * (i / 49) ** 4));

describe('y range without outliers', () => {
  const runs = Array.from({ length: 26 }, (_, i) => falling(2 + i / 50));

  it.each([1, 3, 6])('is that of the others where %i of them diverge, and says where it is clipped', (count) => {
    const found = yRange([...runs, ...Array.from({ length: count }, (_, i) => diverging(770 + i))], WINDOW, robust);
    expect(found.range[1]).toBeLessThan(3);
    expect(found.clipped).toEqual([found.range[1]]);
  });

  it('holds downwards and on a logarithmic axis', () => {
    const down = runs.map((run) => along(Array.from(run.y, (y) => -y)));
    const found = yRange([...down, along(Array.from(diverging(770).y, (y) => -y))], WINDOW, robust);
    expect(found.clipped).toEqual([found.range[0]]);
    const log = yRange([...runs, diverging(1e30)], WINDOW, { log: true, ignoreOutliers: true });
    expect(log.range[1]).toBeLessThan(5);
    expect(log.clipped).toEqual([log.range[1]]);
  });

  it.each([
    ['healthy runs', runs],
    ['a run that is a little worse', [...runs, falling(4)]],
    ['half of the runs', [...runs.slice(0, 5), ...Array.from({ length: 5 }, () => diverging(770))]],
    ['one of four runs', [...runs.slice(0, 3), diverging(770)]],
    ['a loss that falls fast from a high start', [along(Array.from({ length: 500 }, (_, i) => 3 + 8 * 0.9 ** i))]],
    ['the only change of a constant', [along(Array.from({ length: 99 }, (_, i) => (i === 50 ? 1 : 0)))]],
    ['a higher constant', [...runs, along(Array.from({ length: 50 }, () => 100))]],
    ['few points', [along([1, 2, 1, 1000])]],
  ])('leaves nothing out of %s', (_, lines) => {
    expect(yRange(lines, WINDOW, robust)).toEqual({ ...yRange(lines, WINDOW, plain), clipped: [] });
  });

  it('leaves out single values that explode', () => {
    const spiky = along(Array.from({ length: 100 }, (_, i) => (i === 50 ? 1e6 : i / 100)));
    expect(yRange([spiky], WINDOW, robust).range[1]).toBeLessThan(2);
    expect(yRange([spiky], WINDOW, plain)).toMatchObject({ clipped: [] });
    expect(yRange([spiky], WINDOW, plain).range[1]).toBeGreaterThan(1e6);
  });
});
