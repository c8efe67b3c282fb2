import { describe, expect, it } from 'vitest';
import { isExpression } from '@insight-host/kit/lab';
import { expressionFilter, nameFilter, sortRows } from './filter';

const named = (name: string) => ({ name, displayName: name });

describe('name filter', () => {
  it('matches anywhere, in any case, in any script', () => {
    const filter = nameFilter('lr=.*|SEED_[0-3]|训练');
    expect(['a/lr=1', 'seed_2', 'x训练', 'seed_9'].map(named).map(filter.matches)).toEqual([true, true, true, false]);
    expect(filter.error).toBeNull();
    expect(nameFilter('').matches(named('anything'))).toBe(true);
  });

  it('gives the same answer each time it is asked', () => {
    const filter = nameFilter('a');
    expect([1, 2, 3].map(() => filter.matches(named('a')))).toEqual([true, true, true]);
  });

  it.each(['lr=(', '[', '*a', 'a{2'])('says why %s is not an expression, and searches for the text', (text) => {
    const filter = nameFilter(text);
    expect(filter.error).toBeTruthy();
    expect(filter.matches(named(`run ${text.toUpperCase()} x`))).toBe(true);
    expect(filter.matches(named('other'))).toBe(false);
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

describe('an expression', () => {
  it.each(['lr < 0.01', 'lr>1', 'a == 1', 'a != 1', 'net = "a"', 'net in ("a")', 'net not in [1]', 'a >= 1 or b'])(
    'is recognised by a sign that compares: %s',
    (text) => expect(isExpression(text)).toBe(true),
  );
  it.each(['lr=0.01', 'adam|sgd', '(?<!old)_1', '(?<name>a)', 'seed_[0-3]', 'in', 'train in progress', ''])(
    'is not what names and regular expressions are: %s',
    (text) => expect(isExpression(text)).toBe(false),
  );
  it('keeps what the last one matched until the host answers, and hides no run while it is wrong', () => {
    const told = {
      text: 'a < 1',
      runs: new Set(['x']),
      error: null,
      suggestions: [],
      position: 0,
      length: 0,
      isUnfinished: false,
    };
    const shown = (matched: Parameters<typeof expressionFilter>[1]): string[] =>
      ['x', 'y'].filter((name) => expressionFilter('a < 2', matched).matches(named(name)));
    expect(shown(null)).toEqual([]);
    expect(shown(told)).toEqual(['x']);
    expect(shown({ ...told, text: 'a < 2', runs: null, error: 'no' })).toEqual(['x', 'y']);
  });
});
