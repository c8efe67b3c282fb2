import { Column, MISSING, type ColumnInfo, type ColumnType, type Value } from '@insight-host/kit/runs';
import { describe, expect, it } from 'vitest';
import type { RunsAnswer } from './answers';
import { axisOf, scalesOf } from './axes';
import { brushOf, spanOf } from './parallel/axis_view';
import { applyBrushes, brushesCodec, conditionsOf, type Brush } from './brushes';
import { bucketsOf, edgeText } from './chart_tables';
import { frameOf, toldApart } from './source';

const column = (name: string, type: ColumnType, values: readonly Value[]): Column =>
  new Column(
    { name, title: name, group: 'custom', type, count: values.filter((value) => value !== null).length },
    values,
  );
const answer = (
  runs: readonly string[],
  columns: Readonly<Record<string, readonly [ColumnType, readonly Value[]]>>,
): RunsAnswer => ({
  total: runs.length,
  matched: runs.length,
  runs,
  columns: Object.entries(columns).map(([name, [type]]) => ({ name, title: name, group: 'custom', type, count: 1 })),
  values: Object.values(columns).map(([, values]) => values),
});

describe('columns', () => {
  it('of numbers that were recorded as text have axes of numbers', () => {
    const rates = column('lr', 'str', ['1', '10', '2e0', null, '3.5']);
    const axis = axisOf(rates, undefined);
    expect([axis.scale, axis.hasMissing, axis.ticks.map(({ text }) => text)]).toEqual([
      'linear',
      true,
      ['2', '4', '6', '8', '10'],
    ]);
    expect(scalesOf(column('lr', 'str', ['1e-5', '1e-3', '1e-1']))[0]).toBe('log');
    expect(axisOf(column('n', 'str', ['1', '2']), undefined).ticks.map(({ text }) => text)).toEqual(['1', '2']);
  });

  it('of one title are called by their whole names', () => {
    const info = (name: string, title: string): ColumnInfo => ({ name, title, group: 'custom', type: 'int', count: 1 });
    const told = toldApart([info('dropout', 'dropout'), info('custom/dropout', 'dropout'), info('custom/git', 'git')]);
    expect(told.map(({ title }) => title)).toEqual(['dropout', 'custom/dropout', 'git']);
    const titles = new Map([['x', 'custom/x']]);
    expect(frameOf([answer(['a'], { x: ['int', [1]], y: ['int', [1]] })], titles).columns.get('x')?.title).toBe(
      'custom/x',
    );
  });

  it('of several answers are put together by the names of runs', () => {
    const frame = frameOf([
      answer(['a', 'b'], { x: ['int', [1, 2]] }),
      answer(['b', 'c', 'a'], { y: ['int', [20, 30, 10]] }),
    ]);
    expect(frame.columns.get('y')?.values).toEqual([10, 20]);
  });
});

describe('axes', () => {
  it('are logarithmic where most numbers ask for it', () => {
    expect(scalesOf(column('lr', 'float', [0.001, 0.01, 0.1]))[0]).toBe('log');
    expect(
      scalesOf(
        column(
          'x',
          'float',
          Array.from({ length: 1000 }, (_, at) => (at + 1) / 1000),
        ),
      )[0],
    ).toBe('linear');
    expect(scalesOf(column('x', 'float', [-1, 100]))).toEqual(['linear', 'log', 'category']);
    expect(scalesOf(column('x', 'float', [-1, 0]))).toEqual(['linear', 'category']);
    expect(scalesOf(column('x', 'bool', [true, false]))).toEqual(['category']);
    expect(scalesOf(column('x', 'float', ['NaN', null]))).toEqual(['category']);
  });

  it('place what they can, and say that some have no place', () => {
    const axis = axisOf(column('x', 'float', [0, 5, 10, null, 'Infinity']), 'linear');
    expect([...axis.places]).toEqual([0, 0.5, 1, NaN, NaN]);
    expect(axis.hasMissing).toBe(true);
    const log = axisOf(column('x', 'float', [0, 1, 100]), 'log');
    expect([...log.places]).toEqual([NaN, 0, 1]);
    expect(log.ticks.map(({ text }) => text)).toEqual(['1', '2', '5', '10', '20', '50', '100']);
    expect([...axisOf(column('x', 'int', [7, 7]), undefined).places]).toEqual([0.5, 0.5]);
  });

  it('have whole ticks for whole numbers', () => {
    expect(axisOf(column('x', 'int', [1, 4]), 'linear').ticks.map(({ text }) => text)).toEqual(['1', '2', '3', '4']);
  });
});

describe('brushes', () => {
  const frame = frameOf([
    answer(['a', 'b', 'c', 'd'], { n: ['float', [1, 2, null, 4]], s: ['str', ['x,=;~', null, 'y', 'y']] }),
  ]);
  const left = (brushes: ReadonlyMap<string, Brush>): number[] => {
    const mask = new Uint8Array(4).fill(1);
    applyBrushes(frame, brushes, mask);
    return [...mask];
  };
  const range: Brush = { kind: 'range', low: 1, high: 2 };

  it('leave what is inside all of them', () => {
    expect(left(new Map([['n', range]]))).toEqual([1, 1, 0, 0]);
    expect(
      left(
        new Map<string, Brush>([
          ['n', range],
          ['s', { kind: 'some', texts: [MISSING] }],
        ]),
      ),
    ).toEqual([0, 1, 0, 0]);
    expect(left(new Map([['gone', range]]))).toEqual([1, 1, 1, 1]);
  });

  it.each<[string, Brush]>([
    ['range', { kind: 'range', low: -0.1, high: 1e-7 }],
    ['some', { kind: 'some', texts: ['x,=;~', '', MISSING, '训练'] }],
  ])('come back from the URL: %s', (_, brush) => {
    const map = new Map([['a=b;c', brush]]);
    expect(brushesCodec.parse(brushesCodec.format(map))).toEqual(map);
  });

  it('are dropped from the URL if malformed', () => {
    expect([...brushesCodec.parse('a=;b=x~y;c=2~1;d=,')]).toEqual([]);
  });

  it('are conditions of a filter', () => {
    const brushes = new Map<string, Brush>([
      ['n', range],
      ['s', { kind: 'some', texts: ['y', MISSING, 'gone'] }],
    ]);
    expect(conditionsOf(frame, brushes)).toEqual({ n: { ge: 1, le: 2 }, s: { in: [null, 'y'] } });
    const texts = frameOf([answer(['a', 'b', 'c'], { n: ['str', ['1e0', '2', '10']] })]);
    expect(conditionsOf(texts, new Map([['n', { kind: 'range', low: 1, high: 5 }]]))).toEqual({
      n: { in: ['1e0', '2'] },
    });
    expect(conditionsOf(frame, new Map())).toEqual({});
    const alike = frameOf([answer(['a', 'b', 'c'], { n: ['float', [1.00000001, 1.00000002, 2]] })]);
    expect(conditionsOf(alike, new Map([['n', { kind: 'some', texts: ['1'] }]]))).toEqual({
      n: { in: [1.00000001, 1.00000002] },
    });
  });

  it('go from place to place and back', () => {
    const axis = axisOf(frame.columns.get('n') as Column, 'linear');
    expect(brushOf(axis, 1, -0.1)).toEqual({ kind: 'range', low: 1, high: 4 });
    expect(spanOf(axis, { kind: 'range', low: 1, high: 2.5 })).toEqual([0, 0.5]);
    const texts = axisOf(frame.columns.get('s') as Column, undefined);
    expect(brushOf(texts, 0, 0.4)).toEqual({ kind: 'some', texts: ['x,=;~'] });
    expect(brushOf(texts, 0.3, 0.4)).toBeNull();
    expect(spanOf(texts, { kind: 'some', texts: ['y'] })).toEqual([0.5, 1]);
  });
});

describe('numbers as people read them', () => {
  it('are whole where they are', () => {
    expect(column('model_size', 'int', [1_099_511_627_776, -3]).text(0)).toBe('1099511627776');
    expect(column('model_size', 'int', [1_099_511_627_776, -3]).text(1)).toBe('−3');
  });

  it('are brushed as finely as their axis is long', () => {
    const axis = axisOf(column('start_time', 'float', [1_700_000_000, 1_700_000_100]), undefined);
    expect(brushOf(axis, 0.25, 0.75)).toEqual({ kind: 'range', low: 1_700_000_025, high: 1_700_000_075 });
    expect(brushOf(axisOf(column('x', 'float', [0, 1]), undefined), 1 / 3, 1)).toEqual({
      kind: 'range',
      low: 0.3333,
      high: 1,
    });
  });
});

describe('the distribution of a target', () => {
  const spread = (
    values: readonly Value[],
    rows: readonly number[] = values.map((_, row) => row),
  ): (readonly number[])[] =>
    bucketsOf(column('x', 'float', values).numbers, Int32Array.from(rows)).map(({ low, high, count }) => [
      low,
      high,
      count,
    ]);

  it('shows each edge with the digits that its width needs', () => {
    const edges = (low: number, high: number): readonly string[] => {
      const found = bucketsOf(Float64Array.of(low, high), Int32Array.of(0, 1));
      const last = found[found.length - 1]!;
      return [...found.map((bucket) => edgeText(bucket.low, bucket)), edgeText(last.high, last)];
    };
    expect(edges(1.3749, 1.3828)).toEqual(['1.3749', '1.3765', '1.3781', '1.3796', '1.3812', '1.3828']);
    expect(edges(0, 1)).toEqual(['0', '0.2', '0.4', '0.6', '0.8', '1']);
    expect(edges(-0.3, 0.2)).toEqual(['−0.3', '−0.2', '−0.1', '0', '0.1', '0.2']);
    expect(edges(9_876_000, 9_881_000)).toEqual(['9876000', '9877000', '9878000', '9879000', '9880000', '9881000']);
    expect(edges(0, 5e9)).toEqual(['0', '1e9', '2e9', '3e9', '4e9', '5e9']);
    for (const [low, high] of [
      [1e6, 1e6 + 1e-3],
      [-1e-9, 2e-9],
      [-1e300, 1e300],
      [1 - 1e-12, 1],
      [-3.00001, -3],
    ] as const)
      expect(new Set(edges(low, high)).size, `${low} to ${high}`).toBe(6);
    expect(edges(2.5, 2.5)).toEqual(['2.5', '2.5']);
  });

  it('has five buckets of the same width, the last with its upper edge', () => {
    // as numpy.histogram([1, 2, 3, 6, 6, null, NaN], bins=5)
    expect(spread([1, 2, 3, 6, 6, null, 'NaN', 'Infinity'])).toEqual([
      [1, 2, 1],
      [2, 3, 1],
      [3, 4, 1],
      [4, 5, 0],
      [5, 6, 2],
    ]);
    expect(spread([1, 2, 3, 6], [0, 1])).toHaveLength(5);
    expect(spread([-1e308, 1e308]).map(([, , count]) => count)).toEqual([1, 0, 0, 0, 1]);
  });

  it('is one value if all rows agree, and empty without rows', () => {
    expect(spread([2, 2, null])).toEqual([[2, 2, 2]]);
    expect(spread([null, 'NaN'])).toEqual([]);
  });
});
