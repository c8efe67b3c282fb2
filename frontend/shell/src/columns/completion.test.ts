import { describe, expect, it } from 'vitest';
import { Completion, corrected, quoted, typedName } from './completion';
import type { RunColumns } from './run_columns';

describe('a name that is typed', () => {
  it.each([
    ['va', { at: 0, name: 'va' }],
    ['lr < 0.01 and val/a', { at: 14, name: 'val/a' }],
    ['lr < 0.01 and "val ac', { at: 14, name: 'val ac' }],
    ['lr < 0.01 and "val acc"', null],
    ['lr < 0.01', null],
    ['', null],
  ])('is the last one of %s', (text, found) => expect(typedName(text)).toEqual(found));

  it.each([
    ['siez < 1', 0, 'size < 1'],
    ['lr < 1 and "si ez" = 2', 11, 'lr < 1 and size = 2'],
    ["name = '🚀🚀' and siez = 2", 16, "name = '🚀🚀' and size = 2"],
  ])('is corrected in %s', (text, position, after) => expect(corrected(text, position, 'size')).toBe(after));

  it('is quoted where the grammar would not take it for a name', () => {
    expect(['lr', 'metric/acc', 'val acc', 'in', 'a"b', '1x'].map(quoted)).toEqual([
      'lr',
      'metric/acc',
      '"val acc"',
      '"in"',
      '"a""b"',
      '"1x"',
    ]);
  });
});

describe('the list below the filter', () => {
  const listing = [
    { plugin: 'p', name: 'lr', title: 'lr', kind: 'number' },
    { plugin: 'p', name: 'val acc', title: 'val acc', kind: 'number' },
    { plugin: 'p', name: 'net', title: 'net', kind: 'text' },
  ];
  const completion = new Completion({ listing: { value: listing }, need: () => undefined } as unknown as RunColumns);
  const offered = (text: string): readonly string[] => {
    const field = document.createElement('input');
    field.value = text;
    completion.follow(field);
    return completion.items.value.map((item) => item.text);
  };

  it.each([
    ['lr', ['lr <', 'lr <=', 'lr >', 'lr >=', 'lr =', 'lr !=']],
    ['lr ', ['lr <', 'lr <=', 'lr >', 'lr >=', 'lr =', 'lr !=']],
    ['lr < 1 and "val acc" ', ['<', '<=', '>', '>=', '=', '!='].map((sign) => `"val acc" ${sign}`)],
    ['net ', ['net =', 'net !=', 'net in (']],
    ['va', ['"val acc"']],
    ['lr < ', []],
    ['net = lr', []],
    ['resnet|vgg', []],
  ])('offers, after %j, what makes an expression of it', (text, items) => expect(offered(text)).toEqual(items));

  it('goes on with comparisons when a name is accepted, and ends with one', () => {
    const field = document.createElement('input');
    field.value = 'va';
    completion.follow(field);
    expect(completion.accept(0, field)).toBe('"val acc" ');
    expect(completion.items.value[0]?.text).toBe('"val acc" <');
    expect(completion.accept(0, field)).toBe('"val acc" < ');
    expect(completion.items.value).toEqual([]);
  });
});
