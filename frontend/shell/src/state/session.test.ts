import { describe, expect, it } from 'vitest';
import { type RunTable, type RunTableAnswer, updated } from './session';
import type { RunRow } from './runs';

const row = (name: string, damage = 0): RunRow => ({ name, dialects: [], start_time: 1, loading: false, damage });
const rows = (names: string): RunRow[] => [...names].map((name) => row(name));
const names = (table: RunTable): string => table.runs.map(({ name }) => name).join('');

const table = (runs: readonly RunRow[], delta: Partial<RunTableAnswer> = {}): RunTableAnswer => ({
  generation: 1,
  cursor: 'boot-1',
  progress: { bytes_read: 0, bytes_total: 0, loaded_once: true },
  notices: [],
  runs,
  ...delta,
});

describe('the run table', () => {
  it('is replaced by an answer with all runs', () => {
    expect(names(updated(table(rows('abc')), table(rows('xy'))))).toBe('xy');
  });

  it('gets runs that came at their places, however many there are', () => {
    const before = table(rows('bd'));
    expect(names(updated(before, table(rows('ac'), { places: [0, 2], gone: [] })))).toBe('abcd');
    expect(names(updated(before, table(rows('efg'), { places: [2, 3, 4], gone: [] })))).toBe('bdefg');
    expect(names(updated(table([]), table(rows('ab'), { places: [0, 1], gone: [] })))).toBe('ab');
  });

  it('has the present row of a run that changed, at the place where it belongs now', () => {
    const after = updated(table(rows('abc')), table([row('a', 7)], { places: [2], gone: [] }));
    expect(names(after)).toBe('bca');
    expect(after.runs[2]?.damage).toBe(7);
  });

  it('loses runs that are gone, and keeps its rows where none changed', () => {
    const before = table(rows('abcd'));
    expect(names(updated(before, table(rows('x'), { places: [1], gone: ['b', 'd', 'never'] })))).toBe('axc');
    const same = updated(before, table([], { places: [], gone: [], cursor: 'boot-2' }));
    expect(same.runs).toBe(before.runs);
    expect(same.cursor).toBe('boot-2');
  });

  it('takes everything else from the answer', () => {
    const progress = { bytes_read: 5, bytes_total: 9, loaded_once: false };
    expect(updated(table(rows('a')), table([], { places: [], gone: [], progress, generation: 4 }))).toEqual(
      table(rows('a'), { progress, generation: 4 }),
    );
  });
});
