import { describe, expect, it } from 'vitest';
import { isExpression } from '@insight-host/kit/lab';
import {
  expressionFilter,
  nameFilter,
  selectedNames,
  type Selection,
  selectionCodec,
  selectionOf,
  sortRows,
  toggled,
  triState,
  withRows,
} from './selection';

const runs = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `r${at}` }));

describe('selection', () => {
  it('is every run by default, however many; older links say so in a word', () => {
    expect(selectedNames(selectionCodec.parse(null), runs(1000)).size).toBe(1000);
    expect(selectionCodec.parse('all')).toEqual(selectionCodec.parse(null));
    expect(selectedNames({ kind: 'all' }, []).size).toBe(0);
  });

  it('all means also runs that appear later', () => {
    expect(selectedNames({ kind: 'all' }, runs(5000)).size).toBe(5000);
    expect(selectionOf(new Set(runs(50).map((run) => run.name)), runs(50))).toEqual({ kind: 'all' });
    expect(selectionOf(new Set(runs(3).map((run) => run.name)), runs(3))).toEqual({ kind: 'all' });
    expect(selectionOf(new Set(['r1']), runs(3))).toEqual({ kind: 'list', names: ['r1'] });
    expect(selectionOf(new Set(), [])).toEqual({ kind: 'list', names: [] });
  });

  it('is written in the shorter way: these, or all but these', () => {
    const many = runs(1000);
    const names = many.map((run) => run.name);
    const without = selectionOf(new Set(names.filter((name) => name !== 'r7')), many);
    expect(selectionCodec.format(without)).toBe('~r7');
    expect(selectedNames(without, many).size).toBe(999);
    expect(selectedNames(without, [...many, { name: 'new' }]).has('new')).toBe(true);
    expect(selectionCodec.format(selectionOf(new Set(['r7', 'r8']), many))).toBe('r7;r8');
  });

  it('keeps names of runs that are not loaded yet', () => {
    const loaded = runs(5);
    const later = [...loaded, { name: 'later' }];
    const chosen = selectionOf(new Set(['r1']), loaded, { kind: 'list', names: ['later', 'r0'] });
    expect(selectedNames(chosen, later)).toEqual(new Set(['r1', 'later']));
    const left = selectionOf(new Set(['r0', 'r1', 'r2', 'r3', 'r4']), loaded, {
      kind: 'except',
      names: ['later', 'r0'],
    });
    expect(selectedNames(left, later).has('later')).toBe(false);
  });

  it('reads lists with commas', () => {
    expect(selectionCodec.parse('a,b')).toEqual({ kind: 'list', names: ['a', 'b'] });
  });

  it('leaves out names of unknown runs', () => {
    expect([...selectedNames({ kind: 'list', names: ['gone', 'r1'] }, runs(3))]).toEqual(['r1']);
  });

  it.each<Selection>([
    { kind: 'all' },
    { kind: 'list', names: [] },
    { kind: 'list', names: ['all'] },
    { kind: 'list', names: ['a,b', 'c;d', '~e', '', '%', 'f\\g'] },
    { kind: 'list', names: ['', 'a'] },
    { kind: 'list', names: [''] },
    { kind: 'except', names: ['a,b', 'c'] },
    { kind: 'except', names: ['', 'a'] },
    { kind: 'except', names: [''] },
  ])('goes through the URL: %j', (selection) => {
    expect(selectionCodec.parse(selectionCodec.format(selection))).toEqual(selection);
  });

  it('acts on the rows shown and keeps what the filter hides', () => {
    const selected = new Set(['hidden', 'r0']);
    const shown = runs(3);
    expect(triState(selected, shown)).toBe('some');
    expect(withRows(selected, shown, true)).toEqual(new Set(['hidden', 'r0', 'r1', 'r2']));
    expect(withRows(selected, shown, false)).toEqual(new Set(['hidden']));
    expect(toggled(selected, 'r0')).toEqual(new Set(['hidden']));
    expect(selected).toEqual(new Set(['hidden', 'r0']));
    expect(triState(selected, [])).toBe('none');
  });
});

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
