import { fakeContext } from '@insight-host/kit/testing';
import { Page } from '@insight-host/kit';
import { render } from 'preact';
import { signal } from '@preact/signals';
import { expect, it, vi } from 'vitest';
import { searchSamples, textOf, type Line, type NamedSample, type Part } from './answers';
import { nearest, samplesParts, sorted, type SamplesBoard } from './board';
import { curvesOf } from './curves';
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

it('shows the samples of the last step, of another one, and the hits of a search', async () => {
  const asked: string[] = [];
  const line = (id: string) => ({ id, size: 1, step: 1, prompt: '', group: '', scores: {}, signs: [] });
  const spread = [1, 0, 0, 0, 0, 0, 0, 0, 1];
  const ctx = fakeContext(['r'], {
    series: { r: ['rollout'] },
    json: async (route, query = {}) => {
      asked.push(`${route} ${query['step'] ?? ''}`.trim());
      if (route === 'sources') return { sources: [['r', 'rollout', 1, 9, 0]] };
      if (route === 'overview')
        return {
          ...{ steps: [1, 2], scores: ['score'], indexed: 9, bytes: 9, rows: 2, errors: [], bad: [], bad_rows: 0 },
          shown: [1, 2].map((step) => [step, { rows: 1, columns: { 'score/score': spread } }]),
        };
      if (route === 'rows') return { total: 1, samples: [line(`0:${query['step']}`)] };
      if (route === 'search') return { samples: [line('0:7')], next: null, of: 2 };
      return { id: query['id'] };
    },
  });
  const page = new Page(ctx);
  const board = samplesParts(page);
  await vi.waitFor(() => expect(board.lines.at(0)?.id).toBe('0:2'));
  board.goTo(1);
  await vi.waitFor(() => expect(board.lines.at(0)?.id).toBe('0:1'));
  board.open(board.lines.at(0) as Line);
  await vi.waitFor(() => expect(board.shown.answer.value?.value).toMatchObject({ id: '0:1' }));
  board.q.set('what');
  await vi.waitFor(() => expect(board.search.hits.value.map(({ id }) => id)).toEqual(['0:7']));
  expect(board.lines.count).toBe(0);
  expect(asked).toEqual(['sources', 'overview', 'rows 2', 'rows 1', 'sample', 'search 1']);
  page.dispose();
});

it('a step that has no samples leads to the one before it', () => {
  expect([7, 1, -3, null].map((wanted) => nearest([0, 5, 10], wanted))).toEqual([5, 0, 0, 10]);
  expect(nearest([], 3)).toBeNull();
  expect(sorted('-length')).toEqual({ key: 'length', down: true });
  const many = Array.from({ length: 5000 }, (_, at) => at);
  expect(around(many, 2500)).toContain(2500);
  expect(around(many, 2500).length).toBeLessThan(220);
});

const OF = { run: 'r', source: '', id: '0:0', size: 9 };
const EVIL = '<img src=x onerror=alert(1)>\u202e\u001b[31m';

/** Draws a sample whose model said these parts. */
function shown(parts: readonly Part[], isRendered = false): HTMLElement {
  const host = document.body.appendChild(document.createElement('div'));
  const sample = {
    ...{ prompt: [], completion: [{ role: 'assistant', parts }], reference: null, rest: '{}', cut: 0 },
    ...{ file: 'f', format: 'verl', of: OF },
  } as unknown as NamedSample;
  const ctx = fakeContext(['r']);
  const href = (route: string, query = {}): string => `/${route}?${new URLSearchParams(query)}`;
  const page = new Page(Object.assign(ctx, { data: { ...ctx.data, href } }));
  const board = { page, isRendered: signal(isRendered) } as unknown as SamplesBoard;
  render(<Turns board={board} sample={sample} />, host);
  return host;
}

it('text of a model is text, and what it thought is folded', () => {
  const host = shown([
    { kind: 'reasoning', text: 'thought' },
    { kind: 'text', text: `$x^2$ ${EVIL}` },
  ]);
  expect(host.querySelectorAll('img, math')).toHaveLength(0);
  expect(host.querySelector('details.reasoning')?.hasAttribute('open')).toBe(false);
  expect([...host.querySelectorAll('pre')].map((pre) => pre.textContent)).toContain(
    '$x^2$ <img src=x onerror=alert(1)>\\u202e\\x1b[31m',
  );
});

it('text is rendered when asked for, unless it is too long', async () => {
  // happy-dom has no doctype
  Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat', configurable: true });
  const host = shown([{ kind: 'text', text: '**so** \\(x^2\\)' }], true);
  await vi.waitFor(() => expect(host.querySelector('strong + .formula math')).not.toBeNull());
  const long = shown([{ kind: 'text', text: `**so** ${'x'.repeat(30_000)}` }], true);
  expect([long.querySelector('.markdown'), long.querySelector('.muted')?.textContent]).toEqual([null, 'rendered.long']);
});

it('pictures come from the host, late and with their size, and become large; others are only named', () => {
  const host = shown([
    { kind: 'image', text: 'PNG', image: '0-ab', width: 4, height: 3 },
    { kind: 'image', text: 'https://elsewhere.example/a.png' },
    { kind: 'image', text: '' },
  ]);
  const [picture, ...others] = host.querySelectorAll('img');
  expect(others).toEqual([]);
  expect([picture?.loading, picture?.width, picture?.height]).toEqual(['lazy', 4, 3]);
  expect(picture?.alt).toContain('4 × 3');
  expect(picture?.src).toContain('image?run=r&source=&id=0%3A0&size=9&image=0-ab');
  picture?.closest('button')?.click();
  return vi.waitFor(() => expect(host.ownerDocument.querySelector('dialog img')).not.toBeNull());
});

it('the curves of a score are those with its words, means first, else those of rewards', () => {
  const tags = [
    'loss',
    'critic/score/max',
    'critic/score/mean',
    'rewards/accuracy_reward',
    'eval/sums/exact_match_stderr',
  ];
  expect(curvesOf('score', tags)).toEqual(['critic/score/mean', 'critic/score/max']);
  expect(curvesOf('accuracyReward', tags)).toEqual(['rewards/accuracy_reward']);
  expect(curvesOf('format_reward', tags)).toEqual(['critic/score/mean', 'critic/score/max', 'rewards/accuracy_reward']);
  expect(curvesOf('exact_match', tags).includes('eval/sums/exact_match_stderr')).toBe(false);
  expect(curvesOf('', ['loss'])).toEqual([]);
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
