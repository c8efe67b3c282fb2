import { describe, expect, it } from 'vitest';
import { searcher, UnsupportedPattern } from './pattern';

const TEXTS = [
  '',
  'a',
  'ab',
  'aab',
  'b a',
  'loss',
  'train/loss',
  'val/loss_2',
  'Loss',
  'a\nb',
  '😀',
  'a-b',
  'x]y',
  'aaaa',
  '{1}',
];
const PATTERNS = [
  '',
  'a',
  '^a',
  'a$',
  '^$',
  'a|b',
  'a|',
  '(a|b)+$',
  '^(?:a*)*$',
  'a{2}',
  'a{2,}',
  'a{1,2}b',
  'a{0}b',
  '(a+)?b',
  'a*?b',
  '.',
  '^.$',
  '^.{2}$',
  '[a-c]+',
  '[^a-c]',
  '[\\]\\-]',
  String.raw`\bloss\b`,
  String.raw`\B_`,
  String.raw`\d`,
  String.raw`\w+/\w+`,
  String.raw`a\-b`,
  String.raw`a\sb`,
  String.raw`\x61`,
  String.raw`\u{1f600}`,
  String.raw`\p{Lu}`,
  '^(?!val)',
  '(?=a)ab',
  '(?<=a)b',
  '(?<!a)b',
  '(?<=^train/)l',
  '^(?=.*s)(?!.*2)',
  '(?<name>a)b',
  'a{b}|]',
  '^(?:loss)|^(?:val/.*)',
  '^(?:(?:a|ab)(?:c|bcd)?(?:d*))$',
];

describe('the search of a pattern', () => {
  it('finds what the engine of JavaScript finds', () => {
    for (const pattern of PATTERNS) {
      let native: RegExp;
      try {
        native = new RegExp(pattern, 'u');
      } catch {
        native = new RegExp(pattern);
      }
      const expected = TEXTS.filter((text) => native.test(text));
      for (const form of [pattern, `(?:${pattern})`])
        // the engine of JavaScript never sees the second
        expect({ form, found: TEXTS.filter(searcher(form)) }).toEqual({ form, found: expected });
    }
  });

  it('ends for patterns that go back for ever', () => {
    const text = `${'a'.repeat(300)}!`;
    for (const pattern of [
      '^(a+)+$',
      '^(a|a)*$',
      '^(a|aa)+$',
      '^.*.*.*.*.*.*.*x$',
      '^(?=(a+)+$)',
      'a?'.repeat(300) + 'a'.repeat(301),
    ])
      expect([pattern.slice(0, 20), searcher(pattern)(text)]).toEqual([pattern.slice(0, 20), false]);
    expect(searcher('^(a+)+!$')(text)).toBe(true);
  });

  it('ends for short texts and many parts', () => {
    for (const text of ['', 'a', 'aaaa']) {
      expect(searcher(`^${'(|)'.repeat(100)}x`)(text)).toBe(false);
      expect(searcher(`^${'(a|a)'.repeat(100)}`)(text.repeat(30))).toBe(text === 'aaaa');
    }
  });

  it('ignores case on request, in every part', () => {
    const texts = ['LOSS', 'loss', 'Ärger', 'ÄRGER', 'x'];
    for (const form of ['loss|ä', '(?:loss|ä)', '(?=[lä])', '^(L|Ä)+'])
      expect([form, texts.filter(searcher(form, 'i'))]).toEqual([form, texts.slice(0, 4)]);
    expect(texts.filter(searcher('loss'))).toEqual(['loss']);
  });

  it('has flags of groups', () => {
    expect(['LOSS', 'loss', 'xLoss'].filter(searcher('^(?i:loss)'))).toEqual(['LOSS', 'loss']);
    expect(['aB', 'AB', 'Ab'].filter(searcher('(?i:a(?-i:B))'))).toEqual(['aB', 'AB']);
    expect(['a\nb'].filter(searcher('(?s:a.b)'))).toHaveLength(1);
    expect(['a\nb'].filter(searcher('(?m:^b)'))).toHaveLength(1);
  });

  it('says what it cannot do', () => {
    expect(() => searcher('(')).toThrow(SyntaxError);
    expect(() => searcher(String.raw`(a)\1`)).toThrow(UnsupportedPattern);
    expect(() => searcher('(?:a{1000}){1000}')).toThrow(UnsupportedPattern);
  });
});
