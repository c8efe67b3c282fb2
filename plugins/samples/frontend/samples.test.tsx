import { fakeContext } from '@insight-host/kit/testing';
import { Page } from '@insight-host/kit';
import { render } from 'preact';
import { describe, expect, it, vi } from 'vitest';
import { textOf, type Sample } from './answers';
import { Asking, Lines } from './asking';
import { nearest, sorted, type SamplesBoard } from './board';
import { diffWords } from './diff';
import { around } from './index';
import { lastLine } from './list';
import { Search } from './search';
import { Turns } from './turns';

const signs = { same: ' ', removed: '-', added: '+' };
const shown = (before: string, after: string): string[] =>
  diffWords(before, after).map(({ kind, text }) => signs[kind] + text);

describe('a difference of words', () => {
  it('names what was removed and added, between what stayed', () => {
    expect(shown('The answer is 6.', 'The answer is 12.')).toEqual([' The answer is ', '-6', '+12', ' .']);
    expect(shown('a b c', 'a c')).toEqual([' a ', '-b ', ' c']);
    expect(shown('', 'new')).toEqual(['+new']);
    expect(shown('same', 'same')).toEqual([' same']);
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
    expect(shown(`${long('a')}\nend`, `${long('b')}\nend`).length).toBeLessThan(4);
  });
});

describe('a list of samples', () => {
  it('asks for the pages in sight only, and forgets them with the question', async () => {
    const asked: unknown[] = [];
    const ctx = fakeContext(['r'], {
      json: async (_route, query = {}) => {
        asked.push([query['step'], query['offset']]);
        return { total: 1000, samples: [{ id: `${query['step']}:${query['offset']}` }] };
      },
    });
    const lines = new Lines<{ id: string }>(new Page(ctx), 'rows');
    lines.want({ step: 1 });
    await vi.waitFor(() => expect(lines.at(0)?.id).toBe('1:0'));
    lines.look({ row: 250, rowEnd: 310, column: 0, columnEnd: 1 });
    await vi.waitFor(() => expect(lines.at(300)?.id).toBe('1:300'));
    lines.want({ step: 2 });
    expect(lines.at(300)).toBeNull();
    await vi.waitFor(() => expect(lines.at(0)?.id).toBe('2:0'));
    expect(asked).toEqual([
      [1, 0],
      [1, 200],
      [1, 300],
      [2, 0],
    ]);
  });
});

describe('a question', () => {
  it('is never answered by an older one that came later', async () => {
    const answers: ((value: unknown) => void)[] = [];
    const ctx = fakeContext(['r'], { json: () => new Promise((resolve) => answers.push(resolve)) });
    const asking = new Asking<string>(new Page(ctx));
    asking.ask('sample', { id: 1 });
    asking.ask('sample', { id: 2 });
    answers[1]?.('second');
    await vi.waitFor(() => expect(asking.value.value).toBe('second'));
    answers[0]?.('first');
    await Promise.resolve();
    expect(asking.value.value).toBe('second');
  });
});

it('a search goes on until the host says that it is at the end', async () => {
  const starts: unknown[] = [];
  const ctx = fakeContext(['r'], {
    json: async (_route, query = {}) => {
      starts.push(query['start']);
      const start = Number(query['start']);
      return { samples: [{ id: `${start}` }], next: start < 20 ? start + 10 : null, of: 30 };
    },
  });
  const search = new Search(new Page(ctx));
  search.want({ q: 'x' });
  await vi.waitFor(() => expect(search.share.value).toBe(1));
  expect([starts, search.count.value, search.hits.value.map(({ id }) => id)]).toEqual([
    [0, 10, 20],
    3,
    ['0', '10', '20'],
  ]);
});

it('a step that has no samples leads to the one before it', () => {
  expect([7, 1, -3, null].map((wanted) => nearest([0, 5, 10], wanted))).toEqual([5, 0, 0, 10]);
  expect(nearest([], 3)).toBeNull();
  expect(sorted('-length')).toEqual({ key: 'length', down: true });
  const many = Array.from({ length: 5000 }, (_, at) => at);
  expect(around(many, 2500)).toContain(2500);
  expect(around(many, 2500).length).toBeLessThan(220);
});

it('text of a model is text, pictures are shown only when asked for, and never from elsewhere', () => {
  const host = document.body.appendChild(document.createElement('div'));
  const evil = '<img src=x onerror=alert(1)>\u202e\u001b[31m';
  const sample = {
    prompt: [
      {
        role: 'user',
        parts: [
          { kind: 'image', text: 'data:image/png;base64,AA==' },
          { kind: 'image', text: '' },
        ],
      },
    ],
    completion: [
      {
        role: 'assistant',
        parts: [
          { kind: 'reasoning', text: 'thought' },
          { kind: 'text', text: evil },
        ],
      },
    ],
    ...{ reference: null, rest: '{}', cut: 0, file: 'f', format: 'verl' },
  } as unknown as Sample;
  const page = new Page(fakeContext(['r']));
  render(<Turns board={{ page } as unknown as SamplesBoard} sample={sample} />, host);
  expect(host.querySelector('img')).toBeNull();
  expect(host.querySelector('details.reasoning')?.hasAttribute('open')).toBe(false);
  expect([...host.querySelectorAll('pre')].map((pre) => pre.textContent)).toContain(
    '<img src=x onerror=alert(1)>\\u202e\\x1b[31m',
  );
  expect(host.querySelectorAll('.turn button').length).toBe(1);
});

it('several messages are compared with their roles', () => {
  const line = { parts: [{ kind: 'text', text: 'a' }] } as const;
  expect(textOf([{ role: 'assistant', ...line }])).toBe('a');
  expect(
    textOf([
      { role: 'assistant', ...line },
      { role: 'tool', ...line },
    ]),
  ).toBe('[assistant] a\n[tool] a');
});

it('a prompt is known by its last line, or by the lines before a short one', () => {
  expect(lastLine('<|user|>\nA story.\nWhich city is named in it?\n<|assistant|>')).toBe('Which city is named in it?');
  expect(lastLine('Question: 2 + 2?\nAnswer:')).toBe('Question: 2 + 2? Answer:');
  expect(lastLine(null)).toBe('');
});
