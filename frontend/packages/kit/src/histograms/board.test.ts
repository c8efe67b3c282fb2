import { effect } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HistogramBoard } from './board';
import { fakeContext, type FakeContext } from '../testing';

const info = { display_name: '', description: '', points: 1, first_step: 0, last_step: 0 };
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

describe('a board of histograms', () => {
  let ctx: FakeContext;
  let board: HistogramBoard;
  let answers: ((table: unknown) => void)[];

  beforeEach(async () => {
    vi.useFakeTimers();
    answers = [];
    ctx = fakeContext(['one', 'two'], { json: () => new Promise((resolve) => answers.push(resolve)) });
    board = new HistogramBoard(ctx);
    await pass(0);
    answers[0]?.({ one: { w: info }, two: { w: info } });
    await pass(0);
  });
  afterEach(() => {
    board.dispose();
    vi.useRealTimers();
  });

  it('has a card for each run of a tag, or for all of them', () => {
    expect(board.groups.value.map(({ cards }) => cards)).toEqual([
      [
        { tag: 'w', run: 'one' },
        { tag: 'w', run: 'two' },
      ],
    ]);
    board.compare.set(true);
    expect(board.groups.value.map(({ cards }) => cards)).toEqual([[{ tag: 'w', run: null }]]);
  });

  it('asks again for what has changed, but not at once', async () => {
    const before = board.version('w', ['one']);
    const seen: number[] = [];
    const stop = effect(() => void seen.push(board.version('w', ['one'])));
    ctx.changes.value = { generation: 1, series: { one: ['w'] } };
    expect(seen).toEqual([before]);
    await pass(499);
    ctx.changes.value = { generation: 2, series: { one: ['w'], two: ['w'] } };
    expect(seen).toEqual([before]);
    await pass(1);
    expect(seen).toEqual([before, before + 2]);
    stop();
  });

  it('shows all runs of a tag on one axis, unless each is to have its own', () => {
    expect(board.rangeOf('w')).toBeUndefined();
    board.setRange({ tag: 'w', run: 'one' }, [-1, 2]);
    board.setRange({ tag: 'w', run: 'two' }, [0, 5]);
    board.setRange({ tag: 'v', run: 'two' }, [-9, 9]);
    expect(board.rangeOf('w')).toEqual([-1, 5]);
    board.sameRange.set(false);
    expect(board.rangeOf('w')).toBeUndefined();
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
    expect(Object.keys(board.table.value?.['one'] ?? {})).toEqual(['w', 'new', 'toString']);
  });

  it('notices a new tag whatever its name is', async () => {
    ctx.changes.value = { generation: 1, series: { one: ['constructor'] } };
    await pass(0);
    expect(answers).toHaveLength(2);
  });
});
