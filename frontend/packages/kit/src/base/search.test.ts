import { afterEach, describe, expect, it, vi } from 'vitest';
import { searcher } from './search';

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

/** Searches on demand, as a worker does after a while. */
class LateWorker {
  static all: LateWorker[] = [];
  onmessage: ((event: { readonly data: readonly boolean[] }) => void) | null = null;
  asked: readonly [string, string, readonly string[]] = ['', '', []];
  isEnded = false;

  constructor() {
    LateWorker.all.push(this);
  }

  postMessage(asked: LateWorker['asked']): void {
    this.asked = asked;
  }

  answer(): void {
    const [source, flags, names] = this.asked;
    const pattern = new RegExp(source, flags);
    this.onmessage?.({ data: names.map((name) => pattern.test(name)) });
  }

  terminate(): void {
    this.isEnded = true;
  }
}

const LONG = `${'a'.repeat(300)}!`;

describe('the search of a pattern', () => {
  afterEach(() => {
    vi.useRealTimers();
    LateWorker.all = [];
  });

  it('finds what the engine of JavaScript finds, be it at once or later', async () => {
    vi.stubGlobal('Worker', LateWorker);
    for (const pattern of PATTERNS) {
      let native: RegExp;
      try {
        native = new RegExp(pattern, 'u');
      } catch {
        native = new RegExp(pattern);
      }
      const expected = TEXTS.filter((text) => native.test(text));
      for (const form of [pattern, `(?:${pattern})`, `(?:${pattern}){1}`]) {
        const search = searcher(form);
        TEXTS.forEach(search);
        await Promise.resolve();
        for (const worker of LateWorker.all.splice(0)) worker.answer();
        expect({ form, found: TEXTS.filter(search) }).toEqual({ form, found: expected });
      }
    }
  });

  it('asks a worker for what goes back, for all names at once, and ends it after a second', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('Worker', LateWorker);
    for (const pattern of [
      '^(a+)+$',
      '^(a|a)*$',
      '^.*.*.*.*.*.*.*x$',
      '^(?=(a+)+$)',
      'a?'.repeat(300) + 'a'.repeat(301),
      String.raw`(a*)\1$`,
    ]) {
      const search = searcher(pattern);
      expect([search(LONG), search(`${LONG}a`), search.isSlow.value]).toEqual([false, false, false]);
      await Promise.resolve();
      const workers = LateWorker.all.splice(0);
      expect(workers.map(({ asked: [, , names] }) => names)).toEqual([[LONG, `${LONG}a`]]);
      vi.advanceTimersByTime(1001);
      expect([search(LONG), search.isSlow.value, workers[0]?.isEnded]).toEqual([false, true, true]);
    }
  });

  it('asks nobody for what ends soon, and says where no worker is to be had', async () => {
    vi.stubGlobal('Worker', undefined);
    const plain = searcher('^train/.*(loss|acc)_?[0-9]*$');
    expect(['train/loss_1', 'train/a/acc', 'val/loss'].filter(plain)).toEqual(['train/loss_1', 'train/a/acc']);
    expect(plain.isSlow.value).toBe(false);
    const other = searcher('^(a+)+$');
    other(LONG);
    await Promise.resolve();
    expect(other.isSlow.value).toBe(true);
  });

  it('ignores case on request, in every part', () => {
    const texts = ['LOSS', 'loss', 'Ärger', 'ÄRGER', 'x'];
    for (const form of ['loss|ä', '(?:loss|ä)', '(?=[lä])', '^(L|Ä)'])
      expect([form, texts.filter(searcher(form, 'i'))]).toEqual([form, texts.slice(0, 4)]);
    expect(texts.filter(searcher('loss'))).toEqual(['loss']);
  });

  it('has flags of groups', () => {
    expect(['LOSS', 'loss', 'xLoss'].filter(searcher('^(?i:loss)'))).toEqual(['LOSS', 'loss']);
    expect(['a\nb'].filter(searcher('(?s:a.b)'))).toHaveLength(1);
    expect(['a\nb'].filter(searcher('(?m:^b)'))).toHaveLength(1);
  });

  it('reports texts that are not expressions', () => {
    expect(() => searcher('(')).toThrow(SyntaxError);
  });
});
