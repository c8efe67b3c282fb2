import { describe, expect, it } from 'vitest';
import { mark, plainOf, rowsOf } from './body';

function marked(html: string, wanted: string): string {
  const host = document.createElement('div');
  host.innerHTML = html;
  mark(host, wanted);
  return host.innerHTML;
}

describe('marks of a search', () => {
  it('stand around every occurrence, ignoring case, and leave the markup alone', () => {
    expect(marked('<p>Loss and <b>loss</b></p>', 'loss')).toBe('<p><mark>Loss</mark> and <b><mark>loss</mark></b></p>');
    expect(marked('aaa', 'a')).toBe('<mark>a</mark><mark>a</mark><mark>a</mark>');
    expect(marked('<p class="loss">x</p>', 'loss')).toBe('<p class="loss">x</p>');
  });

  it('take the text as text, not as an expression', () => {
    expect(marked('a.b a+b [x-y]', 'a.b')).toBe('<mark>a.b</mark> a+b [x-y]');
    expect(marked('a [x-y] (z)', '[x-y] (z)')).toBe('a <mark>[x-y] (z)</mark>');
    expect(marked('İ İx', 'x')).toBe('İ İ<mark>x</mark>'); // its small letter is longer
    expect(marked('a', '')).toBe('a');
  });
});

describe('a tensor of strings', () => {
  it('has the last dimension as columns and all others as rows', () => {
    expect(rowsOf({ shape: [2, 2], strings: ['a', 'b', 'c', 'd'] })).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(rowsOf({ shape: [1, 2, 3], strings: [...'abcdef'] })).toEqual([[...'abc'], [...'def']]);
    expect(rowsOf({ shape: [3], strings: [...'abc'] })).toEqual([['a'], ['b'], ['c']]);
    expect(rowsOf({ shape: [], strings: ['a'] })).toEqual([['a']]);
    expect(rowsOf({ shape: [0, 3], strings: [] })).toEqual([]);
  });

  it('is compared row by row', () => {
    expect(plainOf({ shape: [2, 2], strings: ['a', 'b', 'c', 'd'] })).toBe('a\tb\nc\td');
  });
});
