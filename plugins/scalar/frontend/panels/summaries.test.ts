import type { Query } from '@insight-host/api';
import { Page } from '@insight-host/kit';
import { fakeContext, type FakeContext } from '@insight-host/kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scalarParts, type ScalarParts } from '../board';
import { Summaries } from './summaries';

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
