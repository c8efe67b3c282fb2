import type { Run } from '@insight-host/api';
import type { Cursor } from '@insight-host/kit/lines';
import { fakeRun } from '@insight-host/kit/testing';
import { describe, expect, it } from 'vitest';
import { fakeSeries, cardQuery as query } from '../feed/fake_board';
import type { Picture } from '../feed/feed';
import type { Series } from '../feed/series';
import { legendOf, linesOf, pointedRuns, singleValues, type Lines, type Source } from './lines';

const run = (name: string): Run => ({ ...fakeRun(name), color: `#${name}` });
const series = (name: string, tag: string): Series =>
  fakeSeries([1, 2], [5, 6], { run: name, tag, restarts: name === 'b' ? [2] : [] });
const say = (name: string, step: number): string => `${name}@${step}`;
const plain = (tag: string): string => tag;

describe('lines', () => {
  it('stand in the order of the runs, raw ones below, without runs that left', () => {
    const main = ['b', 'gone', 'a'].map((name) => series(name, 't'));
    const picture: Picture = {
      query,
      layers: [{ tag: 't', runs: [], axis: 'left', main, raw: [series('a', 't')], bands: [] }],
    };
    const found = linesOf(picture, [run('a'), run('b')], plain, say);
    expect(found.lines.map((line) => [line.label, line.role])).toEqual([
      ['a', 'raw'],
      ['a', 'main'],
      ['b', 'main'],
    ]);
    expect(found.marks).toEqual([{ x: 2, color: '#b', text: 'b@2' }]);
    expect(found.extent).toEqual([1, 2]);
    expect(linesOf(picture, [run('a'), run('b')], plain, say).lines[1]).toBe(found.lines[1]);
  });

  it('give way to bars where each of several runs has one value', () => {
    const one = (name: string, value: number): Series => fakeSeries([1], [value], { run: name, tag: 't' });
    const layer = { tag: 't', runs: [], axis: 'left' as const, raw: null, bands: [] };
    const of = (...main: Series[]): ReturnType<typeof singleValues> =>
      singleValues({ query, layers: [{ ...layer, main }] });
    expect(of(one('a', 5), one('b', 7))).toEqual(
      new Map([
        ['a', { value: 5 }],
        ['b', { value: 7 }],
      ]),
    );
    expect(of(one('a', 5), series('b', 't'))).toBeNull();
    expect(of(one('a', 5))).toBeNull();
    expect(singleValues({ query, layers: [] })).toBeNull();
  });

  it('of a second tag are dashed on the right axis and named by both', () => {
    const layer = { runs: [], raw: null, bands: [] };
    const picture: Picture = {
      query,
      layers: [
        { ...layer, tag: 't', axis: 'left', main: [series('a', 't')] },
        { ...layer, tag: 'u', axis: 'right', main: [series('a', 'u')] },
      ],
    };
    const { lines, sources } = linesOf(picture, [run('a')], plain, say);
    expect(lines.map((line) => [line.label, line.axis, line.dash !== undefined])).toEqual([
      ['a · t', 'left', false],
      ['a · u', 'right', true],
    ]);
    expect(new Set(lines.map((line) => line.id)).size).toBe(2);
    expect(sources.get(lines[1]!.id)?.tag).toBe('u');
  });

  it('of several tags on one axis have dashes and names of their own, and a mark for each restart', () => {
    const layer = { runs: [], raw: null, bands: [], axis: 'left' as const };
    const picture: Picture = {
      query,
      layers: ['t', 'u', 'v'].map((tag) => ({ ...layer, tag, main: [series('b', tag)] })),
    };
    const found = linesOf(picture, [run('b')], plain, say);
    expect(new Set(found.lines.map((line) => line.id)).size).toBe(3);
    expect(new Set(found.lines.map((line) => JSON.stringify(line.dash))).size).toBe(3);
    expect(found.lines.map((line) => line.label)).toEqual(['b · t', 'b · u', 'b · v']);
    expect(found.marks).toHaveLength(1);
  });

  it('are named by their tags in a small legend, if they are many', () => {
    const runs = Array.from({ length: 20 }, (_, i) => run(`r${i}`));
    const layer = { runs: [], raw: null, bands: [], axis: 'left' as const };
    const picture: Picture = {
      query,
      layers: ['t', 'u'].map((tag) => ({ ...layer, tag, main: runs.map(({ name }) => series(name, tag)) })),
    };
    const found = linesOf(picture, runs, plain, say);
    expect(legendOf(found).lines.map((line) => line.label)).toEqual(['t', 'u']);
    const few = linesOf({ ...picture, layers: picture.layers.slice(0, 1) }, runs.slice(0, 3), plain, say);
    expect(legendOf(few)).toBe(few);
  });

  it('have the dashes of their runs, twice as long on the right axis', () => {
    const layer = { runs: [], raw: null, bands: [] };
    const picture: Picture = {
      query,
      layers: [
        { ...layer, tag: 't', axis: 'left', main: [series('a', 't'), series('b', 't')] },
        { ...layer, tag: 'u', axis: 'right', main: [series('b', 'u')] },
      ],
    };
    const runs = [run('a'), { ...run('b'), dash: [8, 4] }];
    const { lines } = linesOf(picture, runs, plain, say);
    expect(lines.map(({ dash }) => dash)).toEqual([undefined, [8, 4], [16, 8]]);
  });

  it('of groups have the colour of their runs, where these have one in common', () => {
    const numbers = new Float64Array();
    const band = {
      tag: 't',
      x: numbers,
      centre: numbers,
      low: numbers,
      high: numbers,
      count: numbers,
      points: 0,
      decimated: false,
    };
    const bands = [
      { ...band, group: 'adam', runs: ['a', 'b'] },
      { ...band, group: 'sgd', runs: ['b', 'c'] },
    ];
    const picture: Picture = { query, layers: [{ tag: 't', runs: [], axis: 'left', main: [], raw: null, bands }] };
    const around = linesOf(
      {
        ...picture,
        layers: [{ ...picture.layers[0]!, bands: [{ ...band, group: '', runs: ['a'] }], around: ['a', 'b'] }],
      },
      [run('a')],
      plain,
      say,
      { all: (count) => `median of ${count}` },
    );
    expect(around.lines).toMatchObject([{ label: 'median of 2', runs: [] }]);
    expect(around.lines[0]?.color).not.toBe('#a');
    const runs = [
      { ...run('a'), color: 'green' },
      { ...run('b'), color: 'green' },
      { ...run('c'), color: 'blue' },
    ];
    const groups = [{ key: 'sgd', title: 'sgd', color: 'red', dash: [2, 3], runs: ['b', 'c'] }];
    const { lines } = linesOf(
      { ...picture, layers: [{ ...picture.layers[0]!, bands: bands.slice(1) }] },
      runs,
      plain,
      say,
      {
        groups,
      },
    );
    expect(lines.map(({ color, dash }) => [color, dash])).toEqual([['red', [2, 3]]]);
    // until the run panel knows its groups: as their first runs
    expect(linesOf(picture, runs, plain, say).lines.map(({ color }) => color)).toEqual(['green', 'green']);
  });
});

const sources: Lines['sources'] = new Map([
  ['left:a', { runs: ['a'] } as unknown as Source],
  ['left:seeds', { runs: ['seed 1', 'seed 2'] } as unknown as Source],
]);
const at = (id: string, distance: number): Cursor => ({
  x: 0,
  y: 0,
  px: 0,
  py: 0,
  reach: [0, 0],
  nearest: [{ id, index: 0, x: 0, y: 0, distance }],
});

it('a card hovers the run of the line at the pointer, or all runs of a group, and none away from all lines', () => {
  expect(pointedRuns(at('left:a', 3), sources)).toEqual(['a']);
  expect(pointedRuns(at('left:seeds', 3), sources)).toEqual(['seed 1', 'seed 2']);
  expect(pointedRuns(at('left:a', 200), sources)).toEqual([]);
  expect(pointedRuns(null, sources)).toEqual([]);
});
