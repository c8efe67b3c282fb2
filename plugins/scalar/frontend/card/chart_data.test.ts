import { expect, it } from 'vitest';
import { chartData } from './chart_data';
import type { LayerData } from '../feed/feed';
import type { Series } from '../feed/series';
import { cardQuery as query, fakeSeries, groupQuery } from '../feed/fake_board';

const layer: LayerData = { tag: 't', runs: [], axis: 'left', main: [], raw: null, bands: [] };
const series = (run: string, values: readonly number[]): Series => {
  const steps = values.map((_, i) => i);
  return fakeSeries(steps, values, { run, wallTimes: Float64Array.from(steps, (step) => 1e9 + step) });
};
const say = (key: string): string => key;

it('a chart of series has a row for each point, exact', () => {
  const { head, rows } = chartData(
    { query, layers: [{ ...layer, main: [series('a', [1 / 3, NaN]), series('b', [2])] }] },
    say,
  );
  expect(head).toEqual(['tooltip.run', 'table.tag', 'x.step', 'tooltip.value']);
  expect(rows).toEqual([
    ['a', 't', 0, 1 / 3],
    ['a', 't', 1, NaN],
    ['b', 't', 0, 2],
  ]);
});

it('a smoothed chart has both values of a point, and times are dates', () => {
  const { head, rows } = chartData(
    {
      query: { ...query, x: 'wall', smoothing: 0.5 },
      layers: [{ ...layer, main: [series('a', [1])], raw: [series('a', [5])] }],
    },
    say,
  );
  expect(head.slice(2)).toEqual(['x.wall', 'tooltip.smoothed', 'tooltip.value']);
  expect(rows).toEqual([['a', 't', '2001-09-09T01:46:40.000Z', 1, 5]]);
});

it('a time that no date can be stays a number', () => {
  const late = fakeSeries([0], [1], { run: 'a', wallTimes: Float64Array.of(9e12) });
  const { rows } = chartData({ query: { ...query, x: 'wall' }, layers: [{ ...layer, main: [late] }] }, say);
  expect(rows).toEqual([['a', 't', 9e12, 1]]);
});

it('a smoothed chart without its raw lines does not give smoothed values for recorded ones', () => {
  const smooth = { ...query, smoothing: 0.5, raw: false };
  const { head, rows } = chartData({ query: smooth, layers: [{ ...layer, main: [series('a', [1])] }] }, say);
  expect(head.slice(3)).toEqual(['tooltip.smoothed', 'tooltip.value']);
  expect(rows).toEqual([['a', 't', 0, 1, null]]);
});

it('a chart of groups has the band of each point, and how many runs it is made of', () => {
  const band = {
    group: 'g',
    tag: 't',
    runs: ['a'],
    x: Float64Array.of(3),
    centre: Float64Array.of(2),
    low: Float64Array.of(1),
    high: Float64Array.of(4),
    count: Float64Array.of(7),
    points: 1,
    decimated: false,
  };
  const grouped = { ...query, group: { ...groupQuery, centre: 'median' as const } };
  const { head, rows } = chartData({ query: grouped, layers: [{ ...layer, bands: [band] }] }, say);
  expect(head.slice(3)).toEqual(['chart.low', 'chart.median', 'chart.high', 'tooltip.runs']);
  expect(rows).toEqual([['g', 't', 3, 1, 2, 4, 7]]);
});
