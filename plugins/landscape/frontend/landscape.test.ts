import { describe, expect, it } from 'vitest';
import { measuredText } from './flatness';
import { alongPath, lossAt, placeOn, relativeToEnd } from './landscape';
import { Player } from './chosen';
import type { Item } from './plan';
import { gridTable, pathTable } from './export';
import { landscapeOf, pathOf } from './testing';

describe('a landscape', () => {
  const uneven = landscapeOf([0, 1, 4], [-1, 1], [0, 1, 4, 10, 11, 14]);

  it('is read between its points, on axes that are not even', () => {
    expect(lossAt(uneven, 1, -1)).toBe(1);
    expect(lossAt(uneven, 2.5, -1)).toBe(2.5);
    expect(lossAt(uneven, 2.5, 0)).toBe(7.5);
    expect(lossAt(uneven, 4, 1)).toBe(14);
  });

  it('has no loss beyond its ends, nor next to a loss that is not finite', () => {
    for (const [x, y] of [
      [-0.1, 0],
      [4.1, 0],
      [1, 1.1],
      [NaN, 0],
    ] as const)
      expect(lossAt(uneven, x, y)).toBeNull();
    const hole = landscapeOf([0, 1], [0, 1], [0, 1, NaN, 3]);
    expect(lossAt(hole, 0.5, 0.5)).toBeNaN();
    expect(lossAt(hole, 1, 1)).toBe(3);
    expect(lossAt(hole, 0.5, 0)).toBe(0.5);
  });

  it('finds places on long axes', () => {
    const axis = Float64Array.from({ length: 256 }, (_, i) => i * i);
    expect(placeOn(axis, 100 * 100 + 1)).toEqual([100, 1 / 201]);
    expect(placeOn(axis, 0)).toEqual([0, 0]);
    expect(placeOn(axis, 255 * 255)).toEqual([254, 1]);
  });
});

describe('the path', () => {
  const path = pathOf([1, 2, 4], [0, 2, 2], [0, 0, 4], [9, 5, 1]);

  it('is walked between its points', () => {
    expect(alongPath(path, 0.5)).toEqual({ x: 1, y: 0, z: 7, index: 0 });
    expect(alongPath(path, 1)).toEqual({ x: 2, y: 0, z: 5, index: 1 });
    expect(alongPath(path, Infinity)).toEqual({ x: 2, y: 4, z: 1, index: 2 });
  });

  it('plays from where it is to its end, and from the start when it is there', () => {
    const player = new Player(() => path);
    expect(player.last).toBe(2);
    player.seek(1);
    expect(player.progress.value).toBe(1);
    expect(player.advance(200)).toBe(true);
    expect(player.progress.value).toBeCloseTo(1.3);
    expect(player.advance(2000)).toBe(false);
    expect(player.progress.value).toBe(Infinity);
    player.play();
    expect([player.playing.value, player.progress.value]).toEqual([true, 0]);
    player.seek(2);
    expect([player.playing.value, player.progress.value]).toEqual([false, Infinity]);
  });

  it('takes no longer than some seconds, however long it is', () => {
    const long = Array.from({ length: 10_001 }, (_, i) => i);
    const player = new Player(() => pathOf(long, long, long, long));
    player.seek(0);
    player.advance(6000);
    expect(player.progress.value).toBeCloseTo(5000);
  });
});

describe('the tables of a landscape', () => {
  const page = { t: (key: string) => key };
  const itemOf = (run: string): Item => ({
    landscape: landscapeOf([0, 1], [5, 6, 7], [1, 2, NaN, 4, 5, 6], pathOf([1, 2], [0, 1], [5, 6], [9, 8])),
    run,
    name: run,
    color: 'red',
  });

  it('have each point of the grid with its coordinates, and each point of the path', () => {
    expect(gridTable(page, [itemOf('a')])).toEqual({
      head: ['x', 'y', 'loss'],
      rows: [
        [0, 5, 1],
        [1, 5, 2],
        [0, 6, NaN],
        [1, 6, 4],
        [0, 7, 5],
        [1, 7, 6],
      ],
    });
    expect(pathTable(page, [itemOf('a')])).toEqual({
      head: ['unit.epoch', 'x', 'y', 'loss'],
      rows: [
        [1, 0, 5, 9],
        [2, 1, 6, 8],
      ],
    });
  });

  it('say of which run they are where there are several', () => {
    const { head, rows } = gridTable(page, [itemOf('a'), itemOf('b')]);
    expect(head[0]).toBe('run');
    expect([rows.length, rows[0]?.[0], rows.at(-1)?.[0]]).toEqual([12, 'a', 'b']);
  });
});

it('shows losses above that at the end', () => {
  const path = pathOf([1, 2], [0, 1], [0, 0], [5, 2]);
  const landscape = landscapeOf([0, 1], [0, 1], [2, 3, NaN, 6], path);
  const shown = relativeToEnd(landscape);
  expect([...shown.z]).toEqual([0, 1, NaN, 4]);
  expect([shown.low, shown.high, ...(shown.path?.z ?? [])]).toEqual([0, 4, 3, 0]);
  expect(relativeToEnd(landscape)).toBe(shown);
  const known = { ...landscape, about: { ...landscape.about, convergence: [0, 0, 1] as const } };
  expect(relativeToEnd(known).low).toBe(1);
});

it('says how far a value may be off', () => {
  expect(measuredText(null)).toBe('—');
  expect(measuredText({ value: 1.23456, error: null })).toBe('1.23');
  expect(measuredText({ value: 1.23456, error: 0.00001 })).toBe('1.235');
  expect(measuredText({ value: 1.23456, error: 0.04 })).toBe('1.23 ± 0.04');
  expect(measuredText({ value: 1.2, error: 3 })).toBe('1 ± 3');
});
