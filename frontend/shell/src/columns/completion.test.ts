import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { Completion } from './completion';
import type { RunColumns } from './run_columns';
import { columnMeant, corrected, quoted, typedName } from './suggestions';

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
    ['siez < 1', 0, 4, 'size < 1'],
    ['lr < 1 and "si ez" = 2', 11, 7, 'lr < 1 and size = 2'],
    ["name = '🚀🚀' and siez = 2", 16, 4, "name = '🚀🚀' and size = 2"],
    ['a < 1 and b', 11, 0, 'a < 1 and bsize'],
  ])('is corrected in %s', (text, position, length, after) =>
    expect(corrected(text, position, length, 'size')).toBe(after),
  );

  it.each([
    ['lr', 'lr'],
    ['p/lr', 'lr'],
    ['val_acc', 'metric/hparam/val_acc'], // plain columns before those of series
    ['loss', 'last/loss'], // all but the first part before the end of a longer name
    ['acc', undefined], // a part ends at a slash
    ['b', undefined], // several
  ])('%s means the column that the host prefers', (text, name) => {
    const named = (name: string, more = {}): { plugin: string; name: string; title: string; kind: 'number' } => ({
      plugin: 'p',
      name,
      title: name,
      kind: 'number',
      ...more,
    });
    const listing = [
      named('last/hparam/val_acc', { order: 1 }),
      named('last/train/loss', { order: 1 }),
      named('last/loss', { order: 1 }),
      named('min/loss', { order: 1, at_first: false }),
      named('metric/hparam/val_acc'),
      named('lr'),
      named('opt/lr'),
      named('a/x/b'),
      named('a/y/b'),
    ];
    expect(columnMeant(text, listing)?.name).toBe(name);
  });

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
  const cells = { 'p/net': ['b', 'a', "it's", 'a'], 'p/lr': [1, 0.1, 1], 'p/val acc': [] };
  const asked: string[] = [];
  const completion = new Completion(
    { listing: { value: listing }, need: () => undefined } as unknown as RunColumns,
    async (key) => {
      asked.push(key);
      return cells[key as keyof typeof cells];
    },
  );
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

  it.each([
    ['net = ', ["'a'", "'b'", "'it''s'"]], // those of most runs first
    ["net = 'b", ["'b'"]],
    ["lr < 1 and net in ('a', ", ["'a'", "'b'", "'it''s'"]],
    ['net != I', ["'it''s'"]],
    ['lr = ', ['0.1', '1']],
    ['lr < ', []],
    ["net = 'a'", []],
    ["net = 'a' and ", []],
  ])('offers, after %j, values of the column', async (text, items) => {
    offered(text);
    await Promise.resolve();
    expect(completion.items.value.map((item) => item.text)).toEqual(items);
  });

  it('reads the values of a column once until the field is left', async () => {
    completion.close();
    asked.length = 0;
    for (const text of ['net =', 'net = ', 'net = a']) offered(text);
    expect(asked).toEqual(['p/net']);
    await Promise.resolve();
    completion.close();
    offered('net = ');
    expect(asked).toEqual(['p/net', 'p/net']);
  });

  it('reads values also if the columns come after a comparison was typed', async () => {
    const late = signal<typeof listing | null>(null);
    const typing = new Completion({ listing: late, need: () => undefined } as unknown as RunColumns, async () => ['x']);
    const field = document.createElement('input');
    field.value = 'net = ';
    typing.follow(field);
    late.value = listing;
    await Promise.resolve();
    expect(typing.items.value.map((item) => item.text)).toEqual(["'x'"]);
  });

  it('goes on with comparisons when a name is accepted, and ends with one', () => {
    const field = document.createElement('input');
    field.value = 'va';
    completion.follow(field);
    expect(completion.accept(0, field)).toBe('"val acc" ');
    expect(completion.items.value[0]?.text).toBe('"val acc" <');
    expect(completion.accept(0, field)).toBe('"val acc" < ');
    expect(completion.items.value).toEqual([]);
    field.value = 'net in (';
    completion.follow(field);
    expect(completion.accept(0, field)).toBe("net in ('a' ");
    expect(completion.items.value).toEqual([]);
  });
});
