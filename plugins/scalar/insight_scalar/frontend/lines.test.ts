import type { Run } from '@insight-host/api';
import { describe, expect, it } from 'vitest';
import { fakeRun } from '@insight-host/kit/testing';
import type { Picture } from './feed';
import { groupColor, linesOf, patternsOf } from './lines';
import type { Series } from './series';
import { cardQuery as query, fakeSeries } from './testing';

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

  it('differ by dashes too on request, the same whichever runs are selected', () => {
    const picture: Picture = {
      query,
      layers: [
        { tag: 't', runs: [], axis: 'left', main: ['a', 'b'].map((name) => series(name, 't')), raw: null, bands: [] },
      ],
    };
    const all = ['a', 'b', 'c'].map(run);
    const dashes = (on: boolean, runs: readonly string[]): readonly unknown[] =>
      linesOf(picture, runs.map(run), plain, say, patternsOf(all, on)).lines.map((line) => line.dash);
    expect(dashes(false, ['a', 'b'])).toEqual([undefined, undefined]);
    const [first, second] = dashes(true, ['a', 'b']);
    expect(first).not.toEqual(second);
    expect(dashes(true, ['b'])).toEqual([second]);
  });

  it('of groups keep one colour each', () => {
    expect(groupColor('x')).toBe(groupColor('x'));
    expect(groupColor('x')).not.toBe(groupColor('y'));
  });
});
