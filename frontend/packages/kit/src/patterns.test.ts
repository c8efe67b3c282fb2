import { describe, expect, it } from 'vitest';
import { tagFilter } from './groups';
import { isSimple } from './patterns';

const SIMPLE = [
  'loss',
  '^train/(loss|acc)$',
  'layer_\\d+/weight_[0-9+*]*',
  '(?:ab)+',
  'a{2,3}b',
  '(a)(b|c)?',
  '\\(a+\\)+',
  '.*a.*b.*c.*',
];
const ENDLESS = [
  '(a+)+$',
  '(a|a)*$',
  '(a|b|ab)+c',
  '((a+))+',
  '(?:a*)*b',
  '(?<x>a+)+',
  '(x(a|b))+',
  '(a{1,9}){1,9}',
  '.*.*.*.*.*x',
  '([a-z]+/)*loss',
];

describe('a regular expression', () => {
  it.each(SIMPLE)('%s is simple', (pattern) => {
    expect(() => new RegExp(pattern, 'iu')).not.toThrow();
    expect(isSimple(pattern)).toBe(true);
  });

  it.each(ENDLESS)('%s is not', (pattern) => {
    expect(() => new RegExp(pattern, 'iu')).not.toThrow();
    expect(isSimple(pattern)).toBe(false);
  });

  it('that might not end is searched as text, and says so', () => {
    const filter = tagFilter('(a+)+$');
    expect([filter.matches(`${'a'.repeat(5000)}!`), filter.matches('x(A+)+$y')]).toEqual([false, true]);
    expect(filter.error).toBe('complex');
  });
});
