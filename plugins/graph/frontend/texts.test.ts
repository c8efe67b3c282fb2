import { describe, expect, it } from 'vitest';
import en from '../insight_graph/locales/en.json';
import type { Stored } from './answers';
import { storedRows } from './texts';

const page = {
  locale: { value: 'en' },
  t: (key: string, values: Record<string, unknown> = {}): string =>
    (en as Record<string, string>)[key]?.replace('{count}', String(values['count'])) ?? key,
} as never;
const of = (values: number, unsized = 0): Required<Stored>['input'] => ({
  tensors: 1 + unsized,
  values,
  bytes: 4 * values,
  unsized,
  unsized_nodes: Math.min(unsized, 2),
});

const rows = (stored: Stored, whole = true): readonly (readonly [string, string])[] =>
  storedRows(page, stored, { whole }).filter(([, text]) => text !== '');

describe('numbers of stored values', () => {
  it('has one row for each role that the graph has', () => {
    const stored = { optimizer: of(61687), trainable: of(61684), input: of(32810) };
    expect(rows(stored, true).map(([role]) => role)).toEqual(['trainable', 'optimizer', 'input']);
    expect(rows(stored, true)[0]?.[1]).toMatch(/^61,684 \(/);
  });

  it('says of the whole graph what it does not tell', () => {
    expect(rows({ parameter: of(128) }, true).filter(([role]) => role !== 'parameter')).toEqual([
      ['trainable', en['stored.untold']],
      ['optimizer', en['stored.untold']],
    ]);
    expect(rows({ parameter: of(128) }, false).map(([role]) => role)).toEqual(['parameter']);
    expect(rows({ input: of(6) }, true).map(([role]) => role)).toEqual(['input']);
  });

  it('leaves out bytes that are not known', () => {
    expect(rows({ input: { ...of(256), bytes: 0 } })).toEqual([['input', '256']]);
  });

  it('never gives a sum for tensors of unknown size alone', () => {
    expect(rows({ parameter: { ...of(0, 9), tensors: 9 } }, false)).toEqual([['parameter', '9 of unknown size']]);
    expect(rows({ parameter: of(8, 1) }, false)[0]?.[1]).toBe('8 (32 B) + 1 of unknown size');
  });

  it('counts layers whose weights have no size, and other tensors by themselves', () => {
    expect(
      storedRows(page, { trainable: of(9, 4), input: of(0, 1) }, { layers: true }).filter(([, text]) => text),
    ).toEqual([
      ['trainable', '9 (36 B) + size not in the file: 2 layers'],
      ['input', '0 + 1 of unknown size'],
    ]);
  });
});
