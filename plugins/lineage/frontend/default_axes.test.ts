import { Column, Frame, type Value } from '@insight-host/kit/runs';
import { expect, it } from 'vitest';
import { defaultAxes } from './columns';

const frameOf = (columns: Readonly<Record<string, readonly Value[]>>): Frame =>
  new Frame(
    (Object.values(columns)[0] ?? []).map((_, row) => `run ${row}`),
    Object.entries(columns).map(([name, values]) => {
      const group = name.startsWith('metric/') ? 'metric' : 'hyperparameter';
      const count = values.filter((value) => value !== null).length;
      const type = typeof values[0] === 'string' ? 'str' : 'float';
      return new Column({ name, title: name, group, type, count }, values);
    }),
  );
const axesOf = (columns: Readonly<Record<string, readonly Value[]>>): readonly string[] =>
  defaultAxes(frameOf(columns), Object.keys(columns), 'model');

it('gives runs of several programs axes on which most of them have values, next to each other', () => {
  const known = (from: number, to: number): readonly Value[] =>
    Array.from({ length: 16 }, (_, row) => (row >= from && row < to ? row : null));
  expect(axesOf({ dropout: known(8, 10), warmup: known(4, 8), lr: known(0, 14), 'metric/mAP': known(14, 16) })).toEqual(
    ['lr', 'warmup', 'dropout', 'metric/mAP'],
  );
});

it('keeps the parameters of a sweep and its results, though some runs failed', () => {
  const rows = Array.from({ length: 10 }, (_, row) => row);
  expect(
    axesOf({
      lr: rows,
      depth: rows.toReversed(),
      'metric/accuracy': rows.map((row) => (row < 6 ? row : null)),
      of_another: rows.map((row) => (row === 9 ? 1 : row === 8 ? 2 : null)),
    }),
  ).toEqual(['lr', 'depth', 'metric/accuracy']);
});

it('leaves out texts that name each run, but not the few values of a small sweep', () => {
  const named = (rows: number): readonly string[] => {
    const numbers = Array.from({ length: rows }, (_, row) => row);
    return axesOf({
      id: numbers.map((row) => `run ${row}`),
      optimizer: numbers.map((row) => (row === 0 ? 'sgd' : 'adam')),
      lr: numbers,
      'metric/accuracy': numbers,
    });
  };
  expect(named(12)).toEqual(['optimizer', 'lr', 'metric/accuracy']);
  expect(named(4)).toEqual(['id', 'optimizer', 'lr', 'metric/accuracy']);
});
