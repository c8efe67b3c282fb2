import type { Query } from '@insight-host/api';
import { Page } from '@insight-host/kit';
import { fakeContext, type FakeContext } from '@insight-host/kit/testing';
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scalarParts, type ScalarParts } from '../board';
import { Summaries, useMetrics } from './metrics';

const RUNS = ['a', 'b'];
const TAGS = ['loss', 'acc'];

describe('values of runs', () => {
  let ctx: FakeContext;
  let board: ScalarParts;
  let summaries: Summaries;
  let asked: Query[];
  let failure: Error | null;

  beforeEach(() => {
    asked = [];
    failure = null;
    ctx = fakeContext(RUNS, {
      series: Object.fromEntries(RUNS.map((run) => [run, TAGS])),
      json: async (_, query) => {
        asked.push(query);
        if (failure) throw failure;
        const runs = query['run'] as readonly string[];
        const values = runs.map((run) => (run === 'a' ? asked.length : 'NaN'));
        return { summaries: (query['tag'] as readonly string[]).map((tag) => ({ tag, runs, values })) };
      },
    });
    board = scalarParts(new Page(ctx));
    summaries = new Summaries(board);
  });
  afterEach(() => board.page.dispose());

  const questions = (): unknown[] => asked.splice(0).map(({ of, tag, run }) => [of, tag, run]);

  it('are asked for once, whoever shows them, at once or later', async () => {
    const both = await Promise.all([summaries.values('last', ['loss']), summaries.values('last', TAGS)]);
    expect(both.map((all) => all.map((one) => [...one]))).toEqual([
      [
        [
          ['a', 1],
          ['b', NaN],
        ],
      ],
      [
        [
          ['a', 1],
          ['b', NaN],
        ],
        [
          ['a', 2],
          ['b', NaN],
        ],
      ],
    ]);
    await summaries.values('last', TAGS);
    expect(questions()).toEqual([
      ['last', ['loss'], RUNS],
      ['last', ['acc'], RUNS],
    ]);
    await summaries.values('min', TAGS);
    expect(questions()).toEqual([['min', TAGS, RUNS]]);
  });

  it('are asked for again of runs that have changed', async () => {
    await summaries.values('last', TAGS);
    questions();
    ctx.changes.value = { generation: 1, series: { a: ['loss'] } };
    const [loss] = await summaries.values('last', TAGS);
    expect(questions()).toEqual([['last', ['loss'], ['a']]]);
    expect(loss?.get('b')).toBeNaN();
  });

  it('are asked for again after a failure, which all hear of', async () => {
    failure = new Error('gone');
    const both = [summaries.values('last', ['loss']), summaries.values('last', ['loss'])];
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    failure = null;
    await summaries.values('last', ['loss']);
    expect(questions()).toHaveLength(2);
  });
});

it('values are never shown as those of the metric that was chosen since', async () => {
  const json = async (_: string, { tag }: Query): Promise<unknown> => {
    if (String(tag) === 'b') throw new Error('lost');
    return { summaries: [{ tag: 'a', runs: ['r'], values: [1] }] };
  };
  const page = new Page(fakeContext(['r'], { series: { r: ['a', 'b'] }, json }));
  const board = scalarParts(page);
  const shown: string[] = [];
  const Values = ({ board: parts, text }: { readonly board: ScalarParts; readonly text: string }): null => {
    const { values, error } = useMetrics(parts, [text]);
    shown.push(`${text} ${values?.[0]?.get('r') ?? '-'} ${error ?? ''}`);
    return null;
  };
  const host = document.createElement('div');
  const show = (text: string): Promise<void> => act(() => render(<Values board={board} text={text} />, host));
  await show('last/a');
  await expect.poll(() => shown.at(-1)).toBe('last/a 1 ');
  await show('last/b');
  await expect.poll(() => shown.at(-1)).toBe('last/b - lost');
  expect(shown).not.toContainEqual(expect.stringContaining('last/b 1'));
  render(null, host);
  page.dispose();
});
