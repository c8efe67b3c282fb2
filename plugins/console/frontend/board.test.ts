import { fakeContext } from '@insight-host/kit/testing';
import { Page } from '@insight-host/kit';
import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import { consoleParts } from './board';

type Listed = readonly [run: string, tag: string, size: number, changed: number];

const FIRST: readonly Listed[] = [
  ['a', 'x.log', 5, 2],
  ['a', 'y.log', 5, 1],
];

function made(indexed = 10) {
  const changes = signal({ generation: 0, series: null });
  const host = { files: FIRST, text: 'first', listAll: async (): Promise<unknown> => undefined };
  const asked: string[] = [];
  const ctx = fakeContext(['a'], {
    series: { a: ['x.log', 'y.log'] },
    json: async (route, query = {}) => {
      asked.push(route);
      if (route === 'search') return { hits: [[2, 'hit']], next: null, size: 10 };
      if (route === 'lines') return { log: host.text, lines: [], found: null, total: 3, indexed, size: 10 };
      if (Array.isArray(query['run']) && query['run'].length === 0) await host.listAll();
      return { files: host.files };
    },
  });
  const page = new Page(Object.assign(ctx, { changes }));
  const change = (): void => void (changes.value = { generation: changes.value.generation + 1, series: null });
  return { ctx, page, change, host, asked, board: consoleParts(page) };
}

afterEach(() => void vi.useRealTimers());

it('stays at the log that is shown when another one of the run is written', async () => {
  const { board, host, change } = made();
  await vi.waitFor(() => expect(board.log.value?.tag).toBe('x.log'));
  host.files = [
    ['a', 'y.log', 9, 3],
    ['a', 'x.log', 5, 2],
  ];
  change();
  await vi.waitFor(() => expect(board.files.value[0]?.tag).toBe('y.log'));
  expect(board.log.value?.tag).toBe('x.log');
});

it('names the log of chosen lines in the address, so that a link leads to the same ones', async () => {
  const { board, ctx } = made();
  await vi.waitFor(() => expect(board.log.value).not.toBeNull());
  board.choose('x.log', { first: 2, last: 3 });
  expect([ctx.address.value.get('file'), ctx.address.value.get('line')]).toEqual(['x.log', '2-3']);
});

it('searches again when the log was replaced', async () => {
  const { board, host, change, asked } = made();
  await vi.waitFor(() => expect(board.log.value?.state.value).toBeTruthy());
  board.q.set('hit');
  await vi.waitFor(() => expect(board.search.count.value).toBe(1));
  change();
  await vi.waitFor(() => expect(asked.filter((route) => route === 'lines')).toHaveLength(2));
  expect(asked.filter((route) => route === 'search')).toHaveLength(1); // it has only grown
  host.text = 'second';
  change();
  await vi.waitFor(() => expect(asked.filter((route) => route === 'search')).toHaveLength(2));
});

it('forgets a search of all runs that ended before their logs were listed', async () => {
  const { board, host } = made();
  await vi.waitFor(() => expect(board.log.value?.state.value).toBeTruthy());
  let list = (): void => undefined;
  host.listAll = () => new Promise<void>((done) => (list = done));
  board.everywhere.set(true);
  board.q.set('hit');
  board.q.set('');
  list();
  await new Promise((done) => setTimeout(done, 20));
  expect([board.search.count.value, board.search.hits.value]).toEqual([0, []]);
});

it('asks no more for the line of a byte after the tab was closed', async () => {
  const { board, page, ctx, asked } = made(5); // the log is never counted to its end
  await vi.waitFor(() => expect(board.log.value?.state.value).toBeTruthy());
  vi.useFakeTimers();
  ctx.address.value = new Map([['at', '8']]);
  await vi.advanceTimersByTimeAsync(400);
  page.dispose();
  await vi.advanceTimersByTimeAsync(400);
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(3000);
  expect([asked.length, vi.getTimerCount()]).toEqual([before, 0]);
});
