import { describe, expect, it } from 'vitest';
import { csvOf } from './files';

describe('CSV', () => {
  it('quotes what must be quoted', () => {
    expect(
      csvOf([
        ['a', '[0, 1)'],
        ['say "x"', 2],
        ['two\nlines', null],
        [' space', true],
      ]),
    ).toBe('a,"[0, 1)"\r\n"say ""x""",2\r\n"two\nlines",\r\n" space",true\r\n');
  });

  it('has no formulas of a log, and leaves numbers alone', () => {
    expect(csvOf([['=1+1', '+x', '-x', '@SUM(A1)', '\tx']])).toBe("'=1+1,'+x,'-x,'@SUM(A1),'\tx\r\n");
    expect(csvOf([[-1, '-1', '+2e3', '-Infinity', 'a=b']])).toBe('-1,-1,+2e3,-Infinity,a=b\r\n');
  });
});
