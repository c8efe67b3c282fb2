import { RequestQueue } from '@insight-host/kit/lab';
import { expect, test, vi } from 'vitest';
import type { Row, TableAnswer } from '../answers/table';
import { PAGE, ServerRows } from './rows';

const COLUMNS = [
  { name: 'name', unit: 'text' },
  { name: 'total', unit: 'ns' },
] as const;
const settled = (): Promise<void> => new Promise((done) => setTimeout(done));

function answer(offset: number, limit: number, total: number, mark = ''): TableAnswer {
  const rows = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, i): Row => [
    `${mark}${offset + i}`,
    offset + i,
  ]);
  return { columns: COLUMNS, rows, total, of: total };
}

test('fetches pages as the user scrolls', async () => {
  const asked: number[] = [];
  const rows = new ServerRows<TableAnswer>(new RequestQueue(4));
  rows.want('a', async (offset, limit) => (asked.push(offset), answer(offset, limit, 1000)));
  await settled();
  expect(asked).toEqual([0]);
  expect(rows.count).toBe(1000);
  expect(rows.at(3)?.[0]).toBe('3');
  expect(rows.at(PAGE)).toBeNull();
  rows.look({ row: PAGE - 10, rowEnd: PAGE + 10 });
  await settled();
  expect(asked).toEqual([0, PAGE]);
  expect(rows.at(PAGE)?.[0]).toBe(String(PAGE));
  rows.look({ row: 0, rowEnd: 20 });
  await settled();
  expect(asked).toHaveLength(2);
});

test('the rows of the question before stay until the next are here', async () => {
  const rows = new ServerRows<TableAnswer>(new RequestQueue(4));
  rows.want('a', async (offset, limit) => answer(offset, limit, 5, 'a'));
  await settled();
  let bring: (value: TableAnswer) => void = () => undefined;
  rows.want('b', () => new Promise((done) => (bring = done)));
  await settled();
  expect(rows.at(0)?.[0]).toBe('a0');
  expect(rows.busy.value).toBe(true);
  bring(answer(0, PAGE, 2, 'b'));
  await settled();
  expect(rows.at(0)?.[0]).toBe('b0');
  expect(rows.at(2)).toBeNull();
  expect(rows.busy.value).toBe(false);
});

test('an answer that comes too late counts for nothing', async () => {
  const rows = new ServerRows<TableAnswer>(new RequestQueue(4));
  let bring: (value: TableAnswer) => void = () => undefined;
  rows.want('a', () => new Promise((done) => (bring = done)));
  await settled();
  rows.want('b', async () => answer(0, PAGE, 1, 'b'));
  bring(answer(0, PAGE, 1, 'a'));
  await settled();
  expect(rows.at(0)?.[0]).toBe('b0');
});

test('what is said of a part of a profile is asked for again', async () => {
  vi.useFakeTimers();
  let complete = false;
  const rows = new ServerRows<TableAnswer>(new RequestQueue(4));
  rows.want('a', async (offset, limit) => ({ ...answer(offset, limit, complete ? 9 : 4), complete }));
  await vi.advanceTimersByTimeAsync(1);
  expect(rows.count).toBe(4);
  complete = true;
  await vi.advanceTimersByTimeAsync(2500);
  expect(rows.count).toBe(9);
  rows.stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('what failed says why, and another question forgets it', async () => {
  const rows = new ServerRows<TableAnswer>(new RequestQueue(4));
  const request = vi.fn(async () => Promise.reject(new Error('q is not a regular expression')));
  rows.want('a', request);
  await settled();
  expect(rows.error.value).toBe('q is not a regular expression');
  rows.look({ row: 0, rowEnd: 50 });
  await settled();
  expect(request).toHaveBeenCalledTimes(1);
  rows.want('b', async (offset, limit) => answer(offset, limit, 1));
  await settled();
  expect(rows.error.value).toBeNull();
  expect(rows.count).toBe(1);
});
