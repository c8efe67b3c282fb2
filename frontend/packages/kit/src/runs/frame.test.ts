import { describe, expect, it } from 'vitest';
import { Column, Frame, MISSING, sortedTexts, type ColumnInfo, type ColumnType, type Value } from './frame';
import { linesOf, orderOf, startsDown, stepsOf, summaryOf } from './ordering';
import { headsOf, sectionOf } from './sections';
import { areSame, equalColumns, shareOf, standingOf } from './standing';

const column = (name: string, type: ColumnType, values: readonly Value[], more: Partial<ColumnInfo> = {}): Column =>
  new Column(
    {
      name,
      title: name,
      group: 'custom',
      type,
      count: values.filter((value) => value !== null).length,
      ...more,
    },
    values,
  );

describe('columns', () => {
  it('read numbers that JSON cannot say', () => {
    const { numbers, extent } = column('x', 'float', [1, 'NaN', 'Infinity', null, '-Infinity', 3]);
    expect([...numbers]).toEqual([1, NaN, Infinity, NaN, -Infinity, 3]);
    expect(extent).toEqual([1, 3]);
  });

  it('have texts in the order of their values, what is missing last', () => {
    expect(column('x', 'float', [10, null, 9, 'NaN']).texts).toEqual(['9', '10', 'NaN', MISSING]);
    expect(column('x', 'str', ['b10', 'b9', null, 'b10']).texts).toEqual(['b9', 'b10', MISSING]);
    expect(column('x', 'mixed', [[1], 'a', 2]).texts).toEqual(['2', 'a', '[1]']);
    expect(column('x', 'str', [null, '']).texts).toEqual(['', MISSING]);
  });

  it('know whether they have few different values, and whether they differ at all', () => {
    const texts = column('x', 'str', ['a', 'b', null, 'a']);
    expect([texts.hasFew(3), texts.hasFew(2)]).toEqual([true, false]);
    expect(texts.varies).toBe(true);
    expect(column('x', 'list', [[1], null, [1]]).varies).toBe(false);
  });

  it('of numbers that were recorded as text are numbers', () => {
    const rates = column('lr', 'str', ['1', '10', '2e0', null, '3.5']);
    expect([...rates.numbers]).toEqual([1, 10, 2, NaN, 3.5]);
    expect(rates.texts).toEqual(['1', '2e0', '3.5', '10', MISSING]);
    const mixed = column('x', 'mixed', [1, '2', 'NaN']);
    expect([mixed.isNumeric, ...mixed.numbers]).toEqual([true, 1, 2, NaN]);
    const others: readonly (readonly [ColumnType, readonly Value[]])[] = [
      ['str', ['1', 'auto']],
      ['str', ['', '1']],
      ['str', ['0x10']],
      ['str', [null]],
      ['mixed', [true, '1']],
    ];
    for (const [type, values] of others) expect(column('x', type, values).isNumeric).toBe(false);
    const info: ColumnInfo = { name: 'run', title: 'run', group: 'run', type: 'str', count: 1 };
    expect(new Column(info, ['1']).isNumeric).toBe(false);
  });
});

describe('order', () => {
  const frame = new Frame(
    ['a', 'b', 'c', 'd'],
    [column('n', 'float', [2, null, 1, 2]), column('s', 'str', ['x', 'x', null, 'w'])],
  );
  it('is stable, and what is missing is last either way', () => {
    expect([...orderOf(frame, ['n'])]).toEqual([2, 0, 3, 1]);
    expect([...orderOf(frame, ['-n'])]).toEqual([0, 3, 2, 1]);
    expect([...orderOf(frame, ['-n', 's'])]).toEqual([3, 0, 2, 1]);
    expect([...orderOf(frame, ['-s'])]).toEqual([0, 1, 3, 2]);
    expect([...orderOf(frame, ['gone'])]).toEqual([0, 1, 2, 3]);
  });

  it('of groups is that of their values; closed ones show no rows', () => {
    const path = stepsOf([frame.columns.get('s') as Column], (_, text) => text ?? '–');
    const lines = (closed: readonly string[]) => linesOf(Int32Array.of(2, 0, 3, 1), path, new Set(closed));
    expect(lines([]).groups.map(({ title, rows }) => [title, ...rows])).toEqual([
      ['w', 3],
      ['x', 0, 1],
      ['–', 2],
    ]);
    const { count, at } = lines(['/s=x']);
    const shown = Array.from({ length: count }, (_, place) => at(place));
    expect(shown.map((line) => (line?.kind === 'row' ? line.row : line?.title))).toEqual(['w', 3, 'x', '–', 2]);
    expect(summaryOf(frame.columns.get('n') as Column, Int32Array.of(0, 1, 2))).toEqual({
      count: 2,
      mean: 1.5,
      low: 1,
      high: 2,
    });
    expect(summaryOf(frame.columns.get('n') as Column, Int32Array.of(1))).toBeNull();
  });

  it('of groups in groups keeps the rows of each under its own', () => {
    const runs = new Frame(['p', 'q', 'r'], [column('a', 'str', ['x', 'y', 'x']), column('b', 'float', [10, 9, 9])]);
    const path = stepsOf([...runs.columns.values()], ({ name }, text) => `${name} ${text}`);
    const { groups } = linesOf(Int32Array.of(0, 1, 2), path, new Set());
    expect(groups.map(({ title, level, rows }) => [title, level, ...rows])).toEqual([
      ['a x', 1, 0, 2],
      ['b 9', 2, 2],
      ['b 10', 2, 0],
      ['a y', 1, 1],
      ['b 9', 2, 1],
    ]);
  });

  it('of texts takes the numbers in them by size, decimals too', () => {
    const sorted = (...texts: readonly string[]): readonly string[] => sortedTexts(texts, (text) => text);
    expect(sorted('lr0.1', 'lr0.01', 'lr10', 'LR9', 'lr0.02')).toEqual(['lr0.01', 'lr0.02', 'lr0.1', 'LR9', 'lr10']);
    expect(sorted('n10', 'n9', 'n09')).toEqual(['n09', 'n9', 'n10']);
    expect(sorted('训练10', '训练9')).toEqual(['训练9', '训练10']);
    expect(sorted('率0.1', '率0.01', '率10', '率9')).toEqual(['率0.01', '率0.1', '率9', '率10']);
  });

  it('begins with the best, or with the smallest of what a run was given', () => {
    const of = (group: string, goal: 'min' | 'max' | null = null): boolean =>
      startsDown(column('x', 'float', [1, 2], { group, goal }));
    expect([of('metric', 'max'), of('metric', 'min'), of('metric'), of('hyperparameter')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(startsDown(column('s', 'str', ['a', 'b']))).toBe(false);
  });
});

describe('heads', () => {
  const heads = (
    ...columns: readonly (readonly [name: string, group: string, title?: string])[]
  ): readonly string[] => {
    const found = headsOf(columns.map(([name, group, title = name]) => ({ name, group, title })));
    return columns.map(([name]) => [found.get(name)?.text, found.get(name)?.small].filter(Boolean).join(' | '));
  };

  it('have the last part of a name first', () => {
    expect(heads(['metric/hparam/val_acc', 'metric', 'hparam/val_acc'], ['lr', 'hyperparameter'])).toEqual([
      'val_acc | hparam/',
      'lr',
    ]);
  });

  it('show what differs where two end alike', () => {
    expect(heads(['train/acc', 'metric'], ['val/acc', 'metric'], ['loss', 'metric'])).toEqual([
      'train/acc',
      'val/acc',
      'loss',
    ]);
    expect(heads(['a/x/acc', 'metric'], ['b/x/acc', 'metric'], ['acc', 'metric'])).toEqual([
      'a/x/acc',
      'b/x/acc',
      'acc',
    ]);
  });

  it('say which value of a scalar it is', () => {
    expect(heads(['last/val/loss', 'scalar', 'val/loss (last)'], ['min/val/loss', 'scalar', 'val/loss (min)'])).toEqual(
      ['loss | val/ last', 'loss | val/ min'],
    );
  });

  it('leave titles alone that are not names', () => {
    expect(heads(['mine/used', 'mine', 'GPU / memory'])).toEqual(['GPU / memory']);
  });

  it('stand in sections', () => {
    const of = (name: string, group: string, title = name): string => sectionOf({ name, group, title });
    expect(of('lr', 'hyperparameter')).toBe('hyperparameter');
    expect(of('loss', 'metric')).toBe('metric');
    expect(of('network', 'model')).toBe('hyperparameter');
    expect(of('last/system/gpu', 'scalar', 'system/gpu (last)')).toBe('system');
    expect(of('last/loss', 'scalar', 'loss (last)')).toBe('metric');
    expect(of('run/status', '')).toBe('run');
  });
});

describe('what rows have in common', () => {
  it('is what all of them say, or none; not what one run says, nor where users write', () => {
    const same = column('batch', 'int', [64, 64, 64, 32]);
    const lists = column('shape', 'list', [[1, 2], [1, 2], [1, 2], [3]]);
    const none = column('gone', 'float', [null, null, null, 1]);
    const some = column('some', 'float', [1, null, 1, 1]);
    const note = column('note', 'str', [null, null, null, null], { group: 'annotation' });
    const all = [same, lists, none, some, note];
    const names = (rows: Int32Array): readonly string[] => equalColumns(all, rows).map(({ name }) => name);
    expect(names(Int32Array.of(0, 1, 2))).toEqual(['batch', 'shape', 'gone']);
    expect(names(Int32Array.of(0, 1, 2, 3))).toEqual([]);
    expect(names(Int32Array.of(0))).toEqual([]);
  });
});

it('rows are the same in whatever order they stand', () => {
  expect(areSame(Int32Array.of(1, 2, 3), Int32Array.of(3, 1, 2))).toBe(true);
  expect(areSame(Int32Array.of(1, 2, 3), Int32Array.of(3, 1, 4))).toBe(false);
  expect(areSame(Int32Array.of(1, 2), Int32Array.of(1))).toBe(false);
});

describe('the standing of a value', () => {
  it('is best as the goal says, among the rows that are shown', () => {
    const acc = column('acc', 'float', [0.5, 0.9, 'NaN', null, 0.7], { group: 'metric', goal: 'max' });
    expect(standingOf(acc, Int32Array.of(0, 1, 2, 3, 4))?.best).toBe(0.9);
    expect(standingOf(acc, Int32Array.of(0, 2, 4))?.best).toBe(0.7);
    expect(standingOf(column('x', 'float', [1, 2]), Int32Array.of(0, 1))?.best).toBeNaN();
    expect(standingOf(acc, Int32Array.of(1, 2))).toBeNull();
  });

  it('has bars that a few far values do not flatten', () => {
    const loss = column('loss', 'float', [...Array.from({ length: 99 }, (_, at) => at / 98), 770]);
    const standing = standingOf(loss, Int32Array.from(loss.values.keys()));
    expect(standing && shareOf(standing, 0.5)).toBeCloseTo(0.5, 1);
    expect(standing && shareOf(standing, 770)).toBe(1);
  });
});
