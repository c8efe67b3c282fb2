import { Page } from '@insight-host/kit';
import { fakeColumns, fakeContext, type FakeContext } from '@insight-host/kit/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { landscapeParts, retry, type LandscapeParts } from './board';

const surface = { claims: ['mindspore:loss_landscape'] };
const entry = (id: string, kind: 'interval' | 'final') => ({ id, tag: 'l', step: 0, wall_time: 0, kind });
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

describe('the landscapes of runs', () => {
  let ctx: FakeContext;
  let board: LandscapeParts;
  let asked: string[];
  let broken: boolean;
  let lists: Record<string, ReturnType<typeof entry>[]>;
  const since = (): string[] => asked.splice(0);

  async function open(address: Readonly<Record<string, string>> = {}): Promise<void> {
    ctx = fakeContext(['a', 'b', 'c'], {
      series: { a: { l: surface }, b: { l: surface }, c: { l: surface } },
      json: async (_, query) => {
        const runs = query['run'] as readonly string[];
        asked.push(`lists of ${runs.join()}`);
        return { runs: runs.map((run) => ({ run, landscapes: lists[run] ?? [] })) };
      },
      columns: async (_, query) => {
        asked.push(`${String(query['run'])} ${String(query['id'])}`);
        if (broken) throw new Error('cut off');
        const landscape = { id: query['id'], run: query['run'], unit: 'step' };
        return fakeColumns({ x: [0, 1], y: [0, 1], z: [1, 2, 3, 4] }, { landscape: JSON.stringify(landscape) });
      },
    });
    ctx.address.value = new Map(Object.entries(address));
    board = landscapeParts(new Page(ctx));
    await settle();
  }

  beforeEach(() => {
    vi.useFakeTimers();
    [asked, broken] = [[], false];
    lists = { a: [entry('1', 'interval'), entry('final', 'final')], b: [entry('final', 'final')] };
  });
  afterEach(() => {
    board.page.dispose();
    vi.useRealTimers();
  });

  it('are asked for as far as they are looked at', async () => {
    await open();
    expect([since(), board.chosen.run.value?.name, board.chosen.entry.value?.id]).toEqual([['lists of a'], 'a', '1']);
    void board.chosen.item.value;
    await settle();
    expect([since(), board.chosen.item.value?.run]).toEqual([['a 1'], 'a']);
    board.mode.set('comparison');
    await settle();
    expect([since(), board.runs.value.map(({ name }) => name)]).toEqual([['lists of b,c'], ['a', 'b']]);
    void board.compared.items.value;
    await settle();
    expect([since(), board.compared.items.value.map(({ run }) => run)]).toEqual([
      ['a final', 'b final'],
      ['a', 'b'],
    ]);
  });

  it('are those that the address names, where they are there', async () => {
    await open({ run: 'b', interval: 'gone' });
    expect([board.chosen.run.value?.name, board.chosen.entry.value?.id]).toEqual(['b', 'final']);
    board.chosen.pickRun('a');
    await settle();
    board.chosen.step(1);
    expect([board.chosen.run.value?.name, ctx.address.value.get('interval')]).toEqual(['a', 'final']);
    board.chosen.step(1); // it is the last
    expect(board.chosen.entry.value?.id).toBe('final');
  });

  it('are listed again when their run has changed, and stay meanwhile', async () => {
    await open();
    since();
    lists = { a: [entry('2', 'interval')] };
    ctx.changes.value = { generation: 1, series: { b: ['l'] } };
    await settle();
    expect(since()).toEqual([]);
    ctx.changes.value = { generation: 2, series: { a: ['l'] } };
    expect([board.lists.isComing.value, board.chosen.entry.value?.id]).toEqual([false, '1']);
    await settle();
    expect([since(), board.chosen.entry.value?.id]).toEqual([['lists of a'], '2']);
  });

  it('that could not be read are asked for again', async () => {
    broken = true;
    await open();
    void board.chosen.state.value;
    await settle();
    expect(board.chosen.state.value).toEqual({ error: 'cut off' });
    broken = false;
    retry(board);
    void board.chosen.state.value;
    await settle();
    expect(board.chosen.item.value?.run).toBe('a');
  });

  it('offers the runs that have landscapes, not those with files of lineage alone', () => {
    const files = { x_lineage: { claims: ['file:*_lineage'] } };
    const parts = landscapeParts(
      new Page(
        fakeContext(['both', 'files', 'neither'], {
          series: { both: { ...files, surface: { claims: ['mindspore:loss_landscape'] } }, files },
        }),
      ),
    );
    expect(parts.runs.value.map(({ name }) => name)).toEqual(['both']);
    expect([...parts.tags.runsByTag.value.keys()]).toEqual(['surface']);
  });
});
