import { Page } from '@insight-host/kit';
import { fakeColumns, fakeContext } from '@insight-host/kit/testing';
import { expect, it } from 'vitest';
import { scalarParts } from '../board';
import { decodeDisplay } from '../feed/batches';
import { cardQuery, fakeSeries, seriesQuery } from '../feed/fake_board';
import { continuations } from '../feed/growing';
import { indexAt, xColumn } from '../feed/series';
import { alongChanged, axisCodec, isMetric, kindOf, metricName } from './axis';
import { linesOf } from './lines';
import { rowsOf } from './reading';

const TOKENS = '="tokens"' as const;

it('the link keeps an axis, and a saved view says which tags are gone', () => {
  expect(['step', 'wall', TOKENS, '=', 'tokens', null].map((text) => axisCodec.parse(text))).toEqual([
    'step',
    'wall',
    TOKENS,
    'step',
    'step',
    'step',
  ]);
  expect([axisCodec.format('step'), axisCodec.format(TOKENS)]).toEqual([null, TOKENS]);
  expect(axisCodec.named?.('="a" / "b"')).toEqual({ tags: ['a', 'b'] });
  expect(axisCodec.named?.('wall')).toEqual({ tags: [] });
  expect([isMetric(TOKENS), isMetric('step'), kindOf(TOKENS), kindOf('wall')]).toEqual([true, false, 'number', 'wall']);
});

it('a metric has the name of its tag, or that of its computed series', () => {
  const page = new Page(fakeContext(['r'], { series: { r: ['x'] } }));
  const { derived } = scalarParts(page);
  derived.set('"x" / "y"', 'ratio');
  expect(metricName('="x"', page, derived)).toBe('x');
  expect(metricName('="x" / "y"', page, derived)).toBe('ratio');
  expect(metricName('="x" * 2', page, derived)).toBe('"x" * 2');
});

it('all series of a run change with the metric that is their axis', () => {
  const tagsOf = (): string[] => ['loss', 'tokens'];
  expect(alongChanged({ a: ['tokens'], b: ['loss'] }, TOKENS, tagsOf)).toEqual({ a: ['tokens', 'loss'], b: ['loss'] });
  expect(alongChanged({ a: ['tokens'] }, 'step', tagsOf)).toEqual({ a: ['tokens'] });
  expect(alongChanged(null, TOKENS, tagsOf)).toBeNull();
});

it('an answer along a metric has x of its own, also where the next series has none', () => {
  const header = { origin: 0, extent: [0, 0], values: 'doubles', along: true };
  const columns = fakeColumns(
    { doubles: [1, 2, 3], xs: [10, 30, 7] },
    {
      codes: '{"top":4095,"log":false,"times":false}',
      steps: '[{"count":2,"first":0,"stride":1},{"count":0},{"count":1,"first":5}]',
      series: JSON.stringify(['a', 'b', 'c'].map((run, steps) => ({ ...header, run, tag: 't', steps }))),
    },
  );
  const found = decodeDisplay(columns);
  expect(found.map((series) => [...xColumn(series, TOKENS)])).toEqual([[10, 30], [], [7]]);
  expect(indexAt(found[0]!, TOKENS, { index: 1, x: 30 })).toBe(1);
  expect(indexAt(found[0]!, TOKENS, { index: 5, x: 12 })).toBe(0);
});

it('series along a metric are fetched again when they grow: x may come later than the value', () => {
  const series = fakeSeries([0, 1], [1, 2], { xs: Float64Array.of(5, 6) });
  expect(continuations(seriesQuery, [series])).toHaveLength(1);
  expect(continuations({ ...seriesQuery, x: TOKENS }, [series])).toEqual([]);
});

it('a run without the metric does not widen the axis, and a reading says x', () => {
  const there = fakeSeries([3, 4], [1, 2], { run: 'a', xs: Float64Array.of(50, 60), extent: [50, 60] });
  const without = fakeSeries([], [], { run: 'b', xs: new Float64Array(0), extent: [0, 0] });
  const page = new Page(fakeContext(['a', 'b'], { series: { a: ['t'], b: ['t'] } }));
  const query = { ...cardQuery, x: TOKENS };
  const layer = { tag: 't', runs: ['a', 'b'], axis: 'left', main: [there, without], raw: null, bands: [] } as const;
  const lines = linesOf({ query, layers: [layer] }, page.runs.value, String, () => '');
  expect(lines.extent).toEqual([50, 60]);
  expect([...(lines.lines[0]?.x ?? [])]).toEqual([50, 60]);
  const [row] = rowsOf([{ id: 'left:a', index: 1, x: 60, y: 2, distance: 0 }], lines, query, new Map());
  expect(row).toMatchObject({ step: 4, metric: 60, value: 2 });
});
