import { signal, type Signal } from '@preact/signals';
import type { Query } from '@insight-host/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Page } from './page';
import { Tags } from './tags';
import { fakeContext, type FakeContext } from './testing';

const info = { display_name: '', description: '', points: 1, first_step: 0, last_step: 0 };
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

describe('the tags of the runs', () => {
  let ctx: FakeContext;
  let page: Page;
  let query: Signal<Query>;
  let tags: Tags;
  let asked: Query[];
  let answers: ((table: unknown) => void)[];

  beforeEach(async () => {
    vi.useFakeTimers();
    [asked, answers] = [[], []];
    ctx = fakeContext(['one', 'two'], {
      json: (_route, wanted) => {
        asked.push(wanted);
        return new Promise((resolve) => answers.push(resolve));
      },
    });
    page = new Page(ctx);
    query = signal<Query>({ others: null });
    tags = new Tags(page, query);
    answers[0]?.({ one: { w: info }, two: { w: info, v: { ...info, attempts: 2 } } });
    await pass(0);
  });
  afterEach(() => {
    page.dispose();
    vi.useRealTimers();
  });

  it('are those of the selected runs', () => {
    expect([...tags.runsByTag.value.keys(), ...tags.runNames('w'), tags.hasAttempts.value]).toEqual([
      'w',
      'v',
      'one',
      'two',
      true,
    ]);
    ctx.runs.select(['one']);
    expect([...tags.runsByTag.value.keys(), ...tags.runNames('w'), tags.hasAttempts.value]).toEqual([
      'w',
      'one',
      false,
    ]);
    expect([tags.runNames('gone'), tags.infoOf('two', 'v')?.attempts, tags.infoOf('gone', 'v')]).toEqual([
      [],
      2,
      undefined,
    ]);
  });

  it('are asked for again when a new one comes, or something else is asked', async () => {
    ctx.changes.value = { generation: 1, series: { one: ['w'], two: ['v'] } };
    expect(asked).toHaveLength(1);
    query.value = { others: 1 };
    expect(asked.at(-1)).toEqual({ others: 1 });
    ctx.changes.value = { generation: 2, series: null };
    expect(asked).toHaveLength(3);
  });

  it('never goes back to an older list of tags', async () => {
    ctx.changes.value = { generation: 1, series: { one: ['new'] } };
    ctx.changes.value = { generation: 2, series: { one: ['new', 'toString'] } };
    await pass(0);
    expect(answers).toHaveLength(3);
    answers[2]?.({ one: { w: info, new: info, toString: info } });
    await pass(0);
    answers[1]?.({ one: { w: info, new: info } });
    await pass(0);
    expect(Object.keys(tags.table.value?.['one'] ?? {})).toEqual(['w', 'new', 'toString']);
  });

  it('notices a new tag whatever its name is', async () => {
    ctx.changes.value = { generation: 1, series: { one: ['constructor'] } };
    await pass(0);
    expect(answers).toHaveLength(2);
  });
});
