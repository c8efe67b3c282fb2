import { describe, expect, it } from 'vitest';
import { quoted, typedName } from './completion';

describe('a name that is typed', () => {
  it.each([
    ['va', { at: 0, name: 'va' }],
    ['lr < 0.01 and val/a', { at: 14, name: 'val/a' }],
    ['lr < 0.01 and "val ac', { at: 14, name: 'val ac' }],
    ['lr < 0.01 and "val acc"', null],
    ['lr < 0.01', null],
    ['', null],
  ])('is the last one of %s', (text, found) => expect(typedName(text)).toEqual(found));

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
