import { describe, expect, it } from 'vitest';
import { cellText, exactText, shortest, type Format } from './numbers';

const fixed: Format = { digits: 3, notation: 'fixed' };
const scientific: Format = { digits: 2, notation: 'scientific' };

describe('cells', () => {
  it('show as many decimals as asked for', () => {
    expect(cellText({ real: 1.23456 }, 'float', fixed)).toBe('1.235');
    expect(cellText({ real: -0.5 }, 'float', { digits: 0, notation: 'fixed' })).toBe('−1');
    expect(cellText({ real: -1234.5 }, 'float', scientific)).toBe('−1.23e3');
    expect(cellText({ real: 1e-7 }, 'float', scientific)).toBe('1.00e−7');
    expect(cellText({ real: 3e12 }, 'float', fixed)).toBe('3.000e12');
  });

  it('name what is not finite', () => {
    expect([NaN, Infinity, -Infinity].map((real) => cellText({ real }, 'float', fixed))).toEqual([
      'NaN',
      '+Inf',
      '−Inf',
    ]);
  });

  it('show every digit of an integer', () => {
    expect(cellText({ real: 18446744073709551615n }, 'integer', fixed)).toBe('18446744073709551615');
    expect(cellText({ real: -7 }, 'integer', fixed)).toBe('−7');
    expect(cellText({ real: 7n }, 'integer', scientific)).toBe('7.00e0');
    expect(cellText({ real: 0.5 }, 'integer', fixed)).toBe('0.500'); // what MindSpore wrote for an integer
  });

  it('show where a line of a text ends', () =>
    expect(cellText({ real: 0, text: 'a\r\nb\n' }, 'string', fixed)).toBe('a ↵ b ↵ '));

  it('show other types as what they are', () => {
    expect(cellText({ real: 1 }, 'bool', fixed)).toBe('true');
    expect(cellText({ real: 0, text: '<b>' }, 'string', fixed)).toBe('<b>');
    expect(cellText({ real: 1, imaginary: -2 }, 'complex', fixed)).toBe('1.000−2.000i');
    expect(cellText({ real: 1, imaginary: NaN }, 'complex', fixed)).toBe('1.000+NaNi');
    expect(cellText({ real: -1, imaginary: Infinity }, 'complex', fixed)).toBe('−1.000+Infi');
  });
});

describe('what is copied', () => {
  it('reads back as the same number', () => {
    const numbers = [0.1, 1 / 3, 16777217, 3.4028234663852886e38, 1.401298464324817e-45, 123456.789, -2.5].map(
      Math.fround,
    );
    for (const number of numbers) expect(Math.fround(Number(shortest(number)))).toBe(number);
    expect(shortest(Math.fround(0.1))).toBe('0.1');
    expect(exactText({ real: 0.1 }, 'float', false)).toBe('0.1');
  });

  it('is what other programs read', () => {
    expect(exactText({ real: -Infinity }, 'float', true)).toBe('-inf');
    expect(exactText({ real: NaN }, 'float', true)).toBe('NaN');
    expect(exactText({ real: -5n }, 'integer', false)).toBe('-5');
    expect(exactText({ real: 1, imaginary: -2 }, 'complex', true)).toBe('1-2j');
    expect(exactText({ real: -0 }, 'float', true)).toBe('-0');
  });
});
