import { describe, expect, it } from 'vitest';
import type { TagTable } from '@insight-host/api';
import { runsByTag, tagsWhere } from './tags';
import { fakeRun, fakeTags } from '../testing';

const plain = (found: ReturnType<typeof runsByTag>): Record<string, string[]> =>
  Object.fromEntries([...found].map(([tag, runs]) => [tag, runs.map(({ name }) => name)]));

describe('tags of runs', () => {
  it('have the runs that have them, in the order of the runs', () => {
    const table = fakeTags({ a: ['loss', 'x'], b: ['loss'], c: ['loss', 'x'], d: [], other: ['y'] });
    expect(plain(runsByTag(table, ['c', 'b', 'a', 'd', 'missing'].map(fakeRun)))).toEqual({
      loss: ['c', 'b', 'a'],
      x: ['c', 'a'],
    });
    expect(plain(runsByTag(null, [fakeRun('a')]))).toEqual({});
    expect(plain(runsByTag(table, []))).toEqual({});
  });

  it('are those of a plain count, however lists are shared', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const has = (run: number, tag: number): boolean => ((run * 7 + tag * 13 + seed * 31) * 2654435761) % 97 < 40;
      const series: Record<string, string[]> = {};
      for (let run = 0; run < 12; run++)
        series[`r${run}`] = [...Array(9).keys()].filter((tag) => has(run % 5, tag)).map((tag) => `t${tag}`);
      const runs = Object.keys(series).toReversed().map(fakeRun);
      const expected: Record<string, string[]> = {};
      for (const { name } of runs) for (const tag of series[name] ?? []) (expected[tag] ??= []).push(name);
      expect(plain(runsByTag(fakeTags(series), runs))).toEqual(expected);
    }
  });

  it('share the list of runs where the runs share their tags: a million series are a thousand steps', () => {
    const tags = [...Array(1000).keys()].map(String);
    let asked = 0;
    const table = { tagsOf: () => (asked++, tags) } as unknown as TagTable;
    const found = runsByTag(
      table,
      [...Array(1000).keys()].map((run) => fakeRun(`r${run}`)),
    );
    expect(asked).toBe(1000);
    expect(new Set(found.values()).size).toBe(1);
    expect(found.get('999')).toHaveLength(1000);
  });
});

it('series of which something is true are a table of their own', () => {
  const table = fakeTags({
    a: { loss: { attempts: 2 }, note: { plugin: 'plugin:text', attempts: 3 } },
    b: { note: { plugin: 'plugin:text' } },
    c: { loss: {}, note: { plugin: 'plugin:text', attempts: 3 } },
    d: ['loss'],
  });
  const own = tagsWhere(table, ({ plugin }) => plugin === 'sample');
  expect(own.runs).toEqual(['a', 'c', 'd']);
  expect(own.runs.map(own.tagsOf)).toEqual([['loss'], ['loss'], ['loss']]);
  expect([own.infoOf('a', 'loss')?.attempts, own.infoOf('a', 'note'), own.infoOf('x', 'loss')]).toEqual([
    2,
    undefined,
    undefined,
  ]);
  expect(own.runs.map(own.hasRestarts)).toEqual([true, false, false]);
  const all = tagsWhere(table, () => true);
  expect(all.tagsOf('d')).toBe(table.tagsOf('d'));
});
