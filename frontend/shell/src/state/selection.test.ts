import { describe, expect, it } from 'vitest';
import {
  inverted,
  type Selection,
  selectedNames,
  selectionCodec,
  selectionOf,
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
    expect(inverted(selected, shown)).toEqual(new Set(['hidden', 'r1', 'r2']));
    expect(toggled(selected, 'r0')).toEqual(new Set(['hidden']));
    expect(selected).toEqual(new Set(['hidden', 'r0']));
    expect(triState(selected, [])).toBe('none');
  });
});
