import { describe, expect, it } from 'vitest';
import { corrected, quoted, typedName } from './completion';

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
