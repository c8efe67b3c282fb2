import { describe, expect, it } from 'vitest';
import { diffLines, diffWords } from './difference';

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

const words = (before: string, after: string): string[] =>
  diffWords(before, after).map(({ kind, text }) => signs[kind] + text);

describe('a difference of words', () => {
  it('names what was removed and added, between what stayed', () => {
    expect(words('The answer is 6.', 'The answer is 12.')).toEqual([' The answer is ', '-6', '+12', ' .']);
    expect(words('a b c', 'a c')).toEqual([' a ', '-b ', ' c']);
    expect(words('the red fox ran', 'the blue cat ran')).toEqual([' the ', '-red fox', '+blue cat', '  ran']);
    expect(words('', 'new')).toEqual(['+new']);
    expect(words('same', 'same')).toEqual([' same']);
  });

  it('gives back both texts, whatever they are', () => {
    let seed = 7;
    const next = (): number => (seed = (seed * 1103515245 + 12345) % 2147483648);
    const text = (): string =>
      Array.from({ length: next() % 20 }, () => ['a', 'b ', '\n', '学', '.'][next() % 5]).join('');
    for (let round = 0; round < 200; round++) {
      const [before, after] = [text(), text()];
      const of = (gone: string): string =>
        diffWords(before, after)
          .filter(({ kind }) => kind !== gone)
          .map(({ text: piece }) => piece)
          .join('');
      expect([of('added'), of('removed')]).toEqual([before, after]);
    }
  });

  it('compares long texts by lines, and replaces what is too long for that', () => {
    const long = (word: string): string => Array.from({ length: 3000 }, (_, at) => `${word}${at} ${at}`).join('\n');
    expect(words(`${long('a')}\nend`, `${long('b')}\nend`).length).toBeLessThan(4);
  });
});
