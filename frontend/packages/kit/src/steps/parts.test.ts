import { type CardKey, Page } from '@insight-host/kit/lab';
import { fakeColumns, fakeContext, type FakeContext } from '../testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Records } from './records';
import { stepParts, type StepParts } from './parts';

const card = (run: string, tag = 'a'): CardKey => ({ tag, run });
const at = (board: StepParts, key: CardKey): number =>
  board.stands.indexOf(key, board.tables.of(key).records.value as Records);
const move = (board: StepParts, key: CardKey, index: number): void =>
  board.stands.move(key, board.tables.of(key).records.value as Records, index);
/** Lets answers arrive. */
const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

describe('a board of step sliders', () => {
  let ctx: FakeContext;
  let board: StepParts;
  let steps: Record<string, readonly number[]>;
  let asked: string[];

  beforeEach(async () => {
    vi.useFakeTimers();
    steps = { long: [0, 10, 20, 30, 40], short: [0, 10, 20] };
    asked = [];
    ctx = fakeContext(['long', 'short'], {
      series: { long: ['a'], short: ['a'] },
      columns: async (route, query) => {
        asked.push(
          `${route} ${String(query['run'])} ` +
            `${String(query['attempts'])}${query['skip'] ? ` after ${String(query['skip'])}` : ''}`,
        );
        const all = steps[String(query['run'])] ?? [];
        const own = all.slice(Number(query['skip'] ?? 0));
        const described = { points: all.length, kept: all.length, hidden: 0 };
        return fakeColumns(
          { steps: own, wall_times: own.map((step) => 100 + step), sizes: own.map(() => 1) },
          { records: JSON.stringify(described) },
        );
      },
    });
    board = stepParts(new Page(ctx));
    await settle();
    board.tables.hold(card('long'));
    board.tables.hold(card('short'));
    await settle(1000);
  });
  afterEach(() => {
    board.page.dispose();
    vi.useRealTimers();
  });

  it('has a card for each run of a tag', () => {
    expect(board.cards.groups.value).toEqual([{ name: 'a', kind: 'tag', cards: [card('long'), card('short')] }]);
    expect([board.cards.has(card('long')), board.cards.has(card('other')), board.cards.has(card('long', 'b'))]).toEqual(
      [true, false, false],
    );
    expect(board.tables.of(card('long')).records.value).toMatchObject({ points: 5, kept: 5, hidden: 0 });
  });

  it('shows the last record until the user says otherwise, and follows it', async () => {
    expect([at(board, card('long')), at(board, card('short'))]).toEqual([4, 2]);
    move(board, card('short'), 1);
    steps = { long: [0, 10, 20, 30, 40, 50], short: [0, 10, 20, 30] };
    ctx.changes.value = { generation: 1, series: { long: ['a'], short: ['a'] } };
    await settle();
    expect([at(board, card('long')), at(board, card('short'))]).toEqual([5, 1]);
    move(board, card('short'), 3);
    steps = { ...steps, short: [0, 10, 20, 30, 40] };
    ctx.changes.value = { generation: 2, series: { short: ['a'] } };
    await settle(1000);
    expect(at(board, card('short'))).toBe(4);
  });

  it('follows the cursor of other tabs while sliders are linked and in sight', () => {
    ctx.cursor.value = { step: 10, pinned: true, from: 'scalar' };
    expect([at(board, card('long')), at(board, card('short'))]).toEqual([4, 2]);
    board.stands.link(true, board.cards.current.value);
    expect([at(board, card('long')), at(board, card('short'))]).toEqual([1, 1]);
    ctx.visible.value = false;
    ctx.cursor.value = { step: 22, pinned: true, from: 'scalar' };
    expect(at(board, card('long'))).toBe(1);
    ctx.visible.value = true;
    expect([at(board, card('long')), at(board, card('short'))]).toEqual([2, 2]);
    ctx.cursor.value = { wallTime: 130, pinned: true, from: 'scalar' }; // no step
    expect(at(board, card('long'))).toBe(2);
  });

  it('takes a pinned cursor along when linked sliders move, and sets none by itself', () => {
    board.stands.link(true, board.cards.current.value);
    move(board, card('long'), 3);
    expect(ctx.cursor.value).toBeNull();
    ctx.cursor.value = { step: 0, pinned: true, from: 'scalar' };
    move(board, card('long'), 2);
    expect(ctx.cursor.value).toEqual({ step: 20, pinned: true, from: 'sample' });
    expect(at(board, card('long'))).toBe(2);
  });

  it('says in the URL where sliders stand, once they rest', async () => {
    move(board, card('long'), 1);
    move(board, card('long'), 2);
    expect(ctx.address.value.size).toBe(0);
    await settle(400);
    expect([...ctx.address.value]).toEqual([['steps', 'a,long=20']]);
    ctx.address.value = new Map([['steps', 'a,long=0']]);
    expect(at(board, card('long'))).toBe(0);
    move(board, card('long'), 4);
    await settle(400);
    expect(ctx.address.value.size).toBe(0);
  });

  it('links sliders at the nearest step, and lets them go where they stand', async () => {
    board.cards.current.value = card('short');
    move(board, card('short'), 1);
    board.stands.link(true, board.cards.current.value);
    expect([at(board, card('long')), at(board, card('short'))]).toEqual([1, 1]);
    move(board, card('long'), 3);
    expect(at(board, card('short'))).toBe(2);
    move(board, card('short'), 2); // its last one is a step like others to the longer card
    expect(at(board, card('long'))).toBe(2);
    move(board, card('long'), 4);
    await settle(400);
    expect([...ctx.address.value]).toEqual([['link', '1']]);
    move(board, card('long'), 1);
    board.stands.link(false, board.cards.current.value);
    expect([at(board, card('long')), at(board, card('short'))]).toEqual([1, 1]);
    move(board, card('long'), 4);
    expect([at(board, card('long')), at(board, card('short'))]).toEqual([4, 1]);
  });

  it('asks only for records that have come, and for all where these do not fit', async () => {
    asked = [];
    steps = { ...steps, short: [0, 10, 20, 30, 40] };
    ctx.changes.value = { generation: 1, series: { short: ['a'] } };
    await settle(1000);
    expect(asked).toEqual(['records short last after 2']);
    const { records } = board.tables.of(card('short'));
    expect([...(records.value?.steps ?? [])]).toEqual([0, 10, 20, 30, 40]);
    expect([...(records.value?.wallTimes ?? [])]).toEqual([100, 110, 120, 130, 140]);
    const known = records.value;
    ctx.changes.value = { generation: 2, series: { short: ['a'] } };
    await settle(1000);
    expect(records.value).toBe(known);
    asked = [];
    steps = { ...steps, short: [5, 6, 7] };
    ctx.changes.value = { generation: 3, series: { short: ['a'] } };
    await settle(1000);
    expect(asked).toEqual(['records short last after 4', 'records short last']);
    expect([...(records.value?.steps ?? [])]).toEqual([5, 6, 7]);
  });

  it('asks for records when they change, at most twice a second, and only of cards that are held', async () => {
    asked = [];
    const release = board.tables.hold(card('long', 'b'));
    await settle(1000);
    release();
    expect(asked).toEqual(['records long last']);
    asked = [];
    for (let generation = 1; generation < 100; generation++) {
      ctx.changes.value = { generation, series: { long: ['a', 'b'] } };
      await settle(10);
    }
    await settle(1000);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.length).toBeLessThan(5);
    ctx.visible.value = false;
    asked = [];
    ctx.changes.value = { generation: 100, series: null };
    await settle(1000);
    expect(asked).toEqual([]);
    ctx.visible.value = true;
    await settle(1000);
    expect(asked).toEqual(['records long last', 'records short last']); // anything may have changed
    asked = [];
    board.attempts.set('all');
    await settle(1000);
    expect(asked).toEqual(['records long all', 'records short all']);
  });
});
