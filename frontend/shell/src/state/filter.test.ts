import { describe, expect, it } from 'vitest';
import { nameFilter, sortRows } from './filter';

describe('name filter', () => {
  it('matches anywhere, in any case, in any script', () => {
    const filter = nameFilter('lr=.*|SEED_[0-3]|训练');
    expect(['a/lr=1', 'seed_2', 'x训练', 'seed_9'].map(filter.matches)).toEqual([true, true, true, false]);
    expect(filter.error).toBeNull();
    expect(nameFilter('').matches('anything')).toBe(true);
  });

  it('gives the same answer each time it is asked', () => {
    const filter = nameFilter('a');
    expect([filter.matches('a'), filter.matches('a'), filter.matches('a')]).toEqual([true, true, true]);
  });

  it.each(['lr=(', '[', '*a', 'a{2'])('says why %s is not an expression, and searches for the text', (text) => {
    const filter = nameFilter(text);
    expect(filter.error).toBeTruthy();
    expect(filter.matches(`run ${text.toUpperCase()} x`)).toBe(true);
    expect(filter.matches('other')).toBe(false);
  });
});

describe('order of runs', () => {
  const row = (displayName: string, startTime: number | null) => ({ displayName, startTime });
  it('is newest first, runs without a time last, equals by name', () => {
    const rows = [row('b', 1), row('none', null), row('a10', 5), row('a9', 5)];
    expect(sortRows(rows, 'time').map((one) => one.displayName)).toEqual(['a9', 'a10', 'b', 'none']);
  });
  it('by name counts numbers as numbers', () => {
    expect(sortRows([row('r10', 1), row('r9', 2), row('R1', 3)], 'name').map((one) => one.displayName)).toEqual([
      'R1',
      'r9',
      'r10',
    ]);
  });
});
