import { expect, it } from 'vitest';
import type { Lines, Source } from './lines';
import { ORDERS, ordered } from './reading';

const values: Readonly<Record<string, number>> = { near: 2, 'run 10': NaN, 'run 9': 1, far: Infinity };
const points = Object.entries(values).map(([id, y]) => ({ id, y, x: 0, index: 0, distance: 0 }));
const sources = new Map(points.map(({ id }) => [id, { label: id } as Source]));
const lines: Lines = { lines: [], sources, extent: null, marks: [] };

it('lines of a reading are in the chosen order; what is not a number comes last', () => {
  expect(ORDERS.map((order) => ordered(points, order, lines).map(({ id }) => id))).toEqual([
    ['near', 'run 10', 'run 9', 'far'],
    ['far', 'near', 'run 9', 'run 10'],
    ['run 9', 'near', 'far', 'run 10'],
    ['far', 'near', 'run 9', 'run 10'],
  ]);
});
