import { fakeContext } from '@insight-host/kit/testing';
import { Page } from '@insight-host/kit';
import { render } from 'preact';
import { expect, it } from 'vitest';
import { searchSamples, textOf, type Sample } from './answers';
import { nearest, sorted, type SamplesBoard } from './board';
import { around } from './index';
import { lastLine } from './list';
import { Turns } from './turns';

it('a search goes on until the host says that it is at the end', async () => {
  const starts: unknown[] = [];
  const ctx = fakeContext(['r'], {
    json: async (_route, query = {}) => {
      starts.push(query['start']);
      const start = Number(query['start']);
      return { samples: [{ id: `${start}` }], next: start < 20 ? start + 10 : null, of: 30 };
    },
  });
  const found: unknown[] = [];
  for await (const slice of searchSamples(new Page(ctx), { q: 'x' }, new AbortController().signal)) found.push(slice);
  expect(starts).toEqual([0, 10, 20]);
  expect(found).toEqual([
    { hits: [{ id: '0' }], share: 1 / 3 },
    { hits: [{ id: '10' }], share: 2 / 3 },
    { hits: [{ id: '20' }], share: 1 },
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
