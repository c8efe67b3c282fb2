import { Column, Frame, type ColumnType, type Value } from '@insight-host/kit/runs';
import { expect, it } from 'vitest';
import { refusalOf } from './analysis/importance_texts';
import { goalOf, paretoFront } from './analysis/tradeoff';
import type { Parameter, PipelineNode } from './answers';
import { axisOf } from './axes';
import { bestCovered, targetsOf, type LineageParts } from './board';
import { differencesOf } from './diff';
import { bandsOf, layoutOf, piecesOf, rowAt, stopsOf } from './parallel/geometry';
import { pipelineDiff } from './pipeline_dialog';

const column = (
  name: string,
  type: ColumnType,
  values: readonly Value[],
  group: 'metric' | 'custom' | 'scalar' = 'metric',
): Column =>
  new Column({ name, title: name, group, type, count: values.filter((value) => value !== null).length }, values);

it('takes no values to be better before the logs, a name or the user say it', () => {
  const named = (goal: 'min' | 'max' | null): Column =>
    new Column({ name: 'metric/value', title: 'value', group: 'metric', type: 'float', count: 1, goal }, [1]);
  expect(goalOf({ value: 'auto' }, named(null))).toBeNull();
  expect(goalOf({ value: 'auto' }, named('min'))).toBe('min');
  expect(goalOf({ value: 'max' }, named('min'))).toBe('max');
  expect(goalOf({ value: 'min' }, named(null))).toBe('min');
});

it('tells a parameter that no run has from one that is the same in all', () => {
  const board = { page: { t: (key: string, { count }: { count: number }) => `${key} ${count}` } } as unknown;
  const parameter = { name: 'bs', count: 0, reason: 'constant', follows: null } as Parameter;
  const say = (count: number): string | null =>
    refusalOf(board as LineageParts, { ...parameter, count }, { used: 30, explained: null });
  expect(say(0)).toBe('reason.absent 30');
  expect(say(30)).toBe('reason.constant 30');
});

/** By definition: no other row is at least as good in both and better in one. */
function frontByDefinition(
  first: readonly number[],
  second: readonly number[],
  signs: readonly [number, number],
): number[] {
  const rows = first.map((_, row) => row).filter((row) => Number.isFinite(first[row]) && Number.isFinite(second[row]));
  const [one, other] = [
    (row: number) => signs[0] * (first[row] as number),
    (row: number) => signs[1] * (second[row] as number),
  ];
  return rows.filter(
    (row) =>
      !rows.some(
        (rival) =>
          one(rival) <= one(row) && other(rival) <= other(row) && (one(rival) < one(row) || other(rival) < other(row)),
      ),
  );
}

it('finds the runs that no other run beats, for every pair of goals', () => {
  let seed = 7;
  const next = (): number => (seed = (seed * 48271) % 2147483647) % 12; // many equal values
  for (let round = 0; round < 20; round++) {
    const first = Array.from({ length: 60 }, (_, row) => (row === 5 ? NaN : next()));
    const second = Array.from({ length: 60 }, (_, row) => (row === 9 ? Infinity : next()));
    for (const [one, other] of [
      ['min', 'min'],
      ['min', 'max'],
      ['max', 'min'],
      ['max', 'max'],
    ] as const) {
      const found = paretoFront(
        Int32Array.from(first.keys()),
        { column: column('a', 'float', first), goal: one },
        { column: column('b', 'float', second), goal: other },
      );
      const signs = [one === 'min' ? 1 : -1, other === 'min' ? 1 : -1] as const;
      expect([...found].sort((a, b) => a - b)).toEqual(frontByDefinition(first, second, signs));
    }
  }
});

it('takes the target that most runs have a number for, and a cost only without a result', () => {
  const frame = new Frame(
    ['a', 'b', 'c'],
    [
      column('accuracy', 'float', [1, null, 2]),
      column('latency', 'float', [1, 2, 3]),
      column('loss', 'float', [1, 2, 3]),
      column('odd', 'float', [1, 'NaN', 'Infinity']),
      column('lr', 'float', [1, 2, 3], 'custom'),
    ],
  );
  const targets = targetsOf(frame, new Set(['lr']));
  expect(targets.map(({ name }) => name)).toEqual(['accuracy', 'latency', 'loss', 'odd']);
  expect(bestCovered(targets)?.name).toBe('loss');
  expect(bestCovered([])).toBeNull();
});

it('takes a result although a few runs that diverged have only a cost', () => {
  const all = Array.from({ length: 20 }, (_, row) => row);
  const of = (diverged: number): string | undefined =>
    bestCovered(
      targetsOf(
        new Frame(all.map(String), [
          column('latency', 'float', all),
          column('loss', 'float', [...all.slice(diverged), ...all.slice(0, diverged).map(() => 'NaN')]),
        ]),
        new Set(),
      ),
    )?.name;
  expect(of(2)).toBe('loss');
  expect(of(10)).toBe('latency');
});

it('takes what a sweep recorded as its result, if nearly all runs have it', () => {
  const all = Array.from({ length: 20 }, (_, row) => row);
  const of = (missing: number): string | undefined =>
    bestCovered([
      column('last/loss', 'float', all, 'scalar'),
      column('metric/accuracy', 'float', [...all.slice(missing), ...all.slice(0, missing).map(() => null)]),
    ])?.name;
  expect(of(2)).toBe('metric/accuracy');
  expect(of(3)).toBe('last/loss');
});

it('takes a target that explains something before one that is equal in all runs', () => {
  const accuracy = column('metric/accuracy', 'float', [1, 1, 1]);
  expect(bestCovered([accuracy, column('last/loss', 'float', [1, 2, null], 'scalar')])?.name).toBe('last/loss');
  expect(bestCovered([accuracy])?.name).toBe('metric/accuracy');
});

it('spreads the rows of a category so that lines between the same values are a ribbon', () => {
  const optimizer = axisOf(column('optimizer', 'str', ['sgd', 'adam', 'sgd', 'adam', null, 'sgd']), undefined);
  const loss = axisOf(column('loss', 'float', [3, 1, 1, 2, 5, 2]), undefined);
  const axes = [optimizer, loss];
  const layout = layoutOf(400, 300, axes);
  const { xs, heights } = stopsOf(layout, axes, new Uint8Array(6));
  expect(xs).toEqual([layout.xs[0], layout.xs[0], layout.xs[1]]);
  const out = heights[1] as Float32Array;
  const [row0, row1, row2, row3, missing, row5] = out as unknown as readonly [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  expect(row0).toBeLessThan(row5); // higher losses are above
  expect(row5).toBeLessThan(row2);
  expect(row3).toBeLessThan(row1);
  expect(missing).toBeNaN();
  const lost = [...(heights[2] as Float32Array)][4];
  expect(piecesOf({ xs, heights }, 4)).toEqual([[layout.xs[1], lost, (layout.xs[1] as number) + 24, lost]]);
  expect(piecesOf({ xs, heights }, 0)).toHaveLength(1);
  const [adam, sgd] = bandsOf(layout, { codes: optimizer.column.codes, categories: optimizer.categories });
  expect((sgd as number) / (adam as number)).toBeCloseTo(1.5);
  const middle = ((layout.xs[0] as number) + (layout.xs[1] as number)) / 2;
  const height = (row0 + ((heights[2] as Float32Array)[0] as number)) / 2;
  expect(rowAt({ xs, heights }, new Uint8Array(6).fill(1), middle, height, 3)).toBe(0);
});

const operator = (
  name: string,
  values: Readonly<Record<string, string>> = {},
  operations: readonly string[] = [],
): PipelineNode => ({
  id: name,
  type: name,
  name,
  kind: 'operation',
  parameters: Object.entries(values).map(([key, value]) => ({ name: key, value })),
  operations: operations.map((one) => ({ name: one, parameters: [] })),
  sampler: null,
});

it('lists which operators of two data pipelines came, went or have other values', () => {
  const before = [
    operator('Mnist'),
    operator('Map', {}, ['Resize']),
    operator('Shuffle', { size: '100' }),
    operator('Batch', { size: '32' }),
  ];
  const after = [
    operator('Mnist'),
    operator('Map', {}, ['Resize', 'Flip']),
    operator('Batch', { size: '64' }),
    operator('Repeat'),
  ];
  const found = pipelineDiff(before, after);
  expect(found.map(({ node, kind }) => `${node.name} ${kind}`)).toEqual([
    'Mnist same',
    'Map changed',
    'Shuffle removed',
    'Batch changed',
    'Repeat added',
  ]);
  expect(found[1]?.changes).toEqual([{ name: 'Flip', before: null, after: '' }]);
  expect(found[3]?.changes).toEqual([{ name: 'size', before: '32', after: '64' }]);
  expect(pipelineDiff(before, before).every(({ kind }) => kind === 'same')).toBe(true);
});

it('shows numbers that differ with all their digits where they would look the same', () => {
  const rates = column('lr', 'float', [0.1, 0.10000000149011612, 0.1], 'custom');
  const [difference] = differencesOf(new Frame(['a', 'b', 'c'], [rates]), ['a', 'b', 'c']);
  expect(difference?.differs).toBe(true);
  expect(difference?.texts).toEqual(['0.1', '0.10000000149011612', '0.1']);
});
