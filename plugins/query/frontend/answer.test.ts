import { expect, it } from 'vitest';
import { axesOf, linesOf, NO_GROUPS, tableOf, type Answer } from './answer';

const NOTHING = { x: '', y: '', by: '' };

function answer(
  columns: Record<string, Answer['columns'][number]['type']>,
  ...values: Answer['values'][number][]
): Answer {
  return {
    columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
    values,
    rows: values[0]?.length ?? 0,
    is_cut: false,
    read: { rows: 0, bytes: 0 },
    seconds: 0.1,
  };
}

const CURVES = answer(
  { value: 'number', run: 'text', step: 'integer' },
  [1.5, 'NaN', 3.5, null],
  ['a', 'b', 'a', 'b'],
  [7, 2, 3, 1],
);

it('draws values over steps, a line for each run, in the order of steps', () => {
  const axes = axesOf(CURVES, NOTHING);
  expect(axes).toEqual({ x: 'step', y: 'value', by: 'run' });
  expect(axes && linesOf(CURVES, axes)).toEqual([
    { name: 'a', x: [3, 7], y: [3.5, 1.5] },
    { name: 'b', x: [1, 2], y: [NaN, NaN] },
  ]);
});

it('draws what the user chose, as far as the answer has it', () => {
  expect(axesOf(CURVES, { x: 'value', y: 'gone', by: NO_GROUPS })).toEqual({ x: 'value', y: 'step', by: NO_GROUPS });
  expect(linesOf(CURVES, { x: 'step', y: 'value', by: NO_GROUPS })).toEqual([
    { name: 'value', x: [1, 2, 3, 7], y: [NaN, NaN, 3.5, 1.5] },
  ]);
});

it('draws no chart of fewer than two columns of numbers', () => {
  expect(axesOf(answer({ run: 'text', n: 'integer' }, ['a'], [1]), NOTHING)).toBeNull();
  expect(axesOf(answer({}), NOTHING)).toBeNull();
});

it('leaves out rows without a place on the axis', () => {
  const found = answer({ x: 'number', y: 'number' }, ['Infinity', null, 1], [1, 2, 3]);
  expect(linesOf(found, { x: 'x', y: 'y', by: NO_GROUPS })).toEqual([{ name: 'y', x: [1], y: [3] }]);
});

it('keeps the digits of integers beyond 2^53', () => {
  const found = answer({ step: 'integer', value: 'number' }, ['9007199254740993', 5], [1, 'Infinity']);
  expect(tableOf(found)).toEqual([
    ['step', 'value'],
    [9007199254740993n, 1],
    [5, Infinity],
  ]);
  expect(linesOf(found, { x: 'step', y: 'value', by: NO_GROUPS })).toEqual([
    { name: 'value', x: [5, 2 ** 53], y: [Infinity, 1] },
  ]);
});

it('copies exact values with a head', () => {
  expect(tableOf(CURVES).slice(0, 3)).toEqual([
    ['value', 'run', 'step'],
    [1.5, 'a', 7],
    [NaN, 'b', 2],
  ]);
});
