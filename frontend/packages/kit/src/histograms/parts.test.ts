import { effect } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Page } from '@insight-host/kit';
import { histogramParts, type HistogramParts } from './parts';
import { fakeContext, type FakeContext } from '../testing';

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

describe('a board of histograms', () => {
  let ctx: FakeContext;
  let board: HistogramParts;

  beforeEach(() => {
    vi.useFakeTimers();
    ctx = fakeContext(['one', 'two'], { series: { one: ['w'], two: ['w'] } });
    board = histogramParts(new Page(ctx));
  });
  afterEach(() => {
    board.page.dispose();
    vi.useRealTimers();
  });

  it('has a card for each run of a tag, or for all of them', () => {
    expect(board.cards.groups.value.map(({ cards }) => cards)).toEqual([
      [
        { tag: 'w', run: 'one' },
        { tag: 'w', run: 'two' },
      ],
    ]);
    board.histograms.compare.set(true);
    expect(board.cards.groups.value.map(({ cards }) => cards)).toEqual([[{ tag: 'w', run: null }]]);
  });

  it('asks again for what has changed, but not at once', async () => {
    const before = board.versions.of('w', ['one']);
    const seen: number[] = [];
    const stop = effect(() => void seen.push(board.versions.of('w', ['one'])));
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
    expect(board.ranges.of('w')).toBeUndefined();
    board.ranges.set({ tag: 'w', run: 'one' }, [-1, 2]);
    board.ranges.set({ tag: 'w', run: 'two' }, [0, 5]);
    board.ranges.set({ tag: 'v', run: 'two' }, [-9, 9]);
    expect(board.ranges.of('w')).toEqual([-1, 5]);
    board.histograms.sameRange.set(false);
    expect(board.ranges.of('w')).toBeUndefined();
  });
});
