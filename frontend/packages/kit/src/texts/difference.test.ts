import { describe, expect, it } from 'vitest';
import { diffLines } from './diff';

const signs = { same: ' ', removed: '-', added: '+' };
const shown = (before: string, after: string): string[] =>
  diffLines(before, after).map(({ kind, text }) => signs[kind] + text);

/** Both texts, read back from their difference. */
function sides(before: string, after: string): [string, string] {
  const lines = diffLines(before, after);
  const of = (gone: string): string =>
    lines
      .filter(({ kind }) => kind !== gone)
      .map(({ text }) => text)
      .join('\n');
  return [of('added'), of('removed')];
}

describe('a difference of lines', () => {
  it('names lines that were removed and added, next to those that stayed', () => {
    expect(shown('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c']);
    expect(shown('a\nb', 'b')).toEqual(['-a', ' b']);
    expect(shown('b', 'a\nb\nc')).toEqual(['+a', ' b', '+c']);
    expect(shown('same', 'same')).toEqual([' same']);
    expect(shown('', 'a\nb')).toEqual(['+a', '+b']);
  });

  it('is as short as possible', () => {
    const changed = shown('a\nb\nc\na\nb\nb\na', 'c\nb\na\nb\na\nc').filter((line) => !line.startsWith(' '));
    expect(changed).toHaveLength(5); // the example of Myers' paper
  });

  it('gives back both texts, whatever they are', () => {
    let seed = 7;
    const next = (): number => (seed = (seed * 1103515245 + 12345) % 2147483648);
    const text = (): string => Array.from({ length: next() % 12 }, () => 'abc'[next() % 3]).join('\n');
    for (let round = 0; round < 300; round++) {
      const [before, after] = [text(), text()];
      expect(sides(before, after)).toEqual([before, after]);
    }
  });

  it('replaces everything where texts have too little in common to search for it', () => {
    const [before, after] = ['a', 'b'].map((letter) =>
      Array.from({ length: 3000 }, (_, i) => letter + i).join('\n'),
    ) as [string, string];
    expect(sides(before, after)).toEqual([before, after]);
  });
});
