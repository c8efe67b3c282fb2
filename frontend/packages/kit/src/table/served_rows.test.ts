import { RequestQueue } from '@insight-host/kit/lab';
import { expect, test, vi } from 'vitest';
import { ServedRows, type RowsAnswer } from './served_rows';

type Row = readonly [name: string, place: number];
type Answer = RowsAnswer<Row>;

const PAGE = 200;
const settled = (): Promise<void> => new Promise((done) => setTimeout(done));

function answer(offset: number, limit: number, total: number, mark = ''): Answer {
  const rows = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, i): Row => [
    `${mark}${offset + i}`,
    offset + i,
  ]);
  return { rows, total };
}

test('fetches pages as the user scrolls', async () => {
  const asked: number[] = [];
  const rows = new ServedRows<Row>({ queue: new RequestQueue(4) });
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
  const rows = new ServedRows<Row>({ queue: new RequestQueue(4) });
  rows.want('a', async (offset, limit) => answer(offset, limit, 5, 'a'));
  await settled();
  let bring: (value: Answer) => void = () => undefined;
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
  const rows = new ServedRows<Row>({ queue: new RequestQueue(4) });
  let bring: (value: Answer) => void = () => undefined;
  rows.want('a', () => new Promise((done) => (bring = done)));
  await settled();
  rows.want('b', async () => answer(0, PAGE, 1, 'b'));
  bring(answer(0, PAGE, 1, 'a'));
  await settled();
  expect(rows.at(0)?.[0]).toBe('b0');
});

test('what is not all yet is asked for again', async () => {
  vi.useFakeTimers();
  let complete = false;
  const rows = new ServedRows<Row>({ queue: new RequestQueue(4) });
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
  const rows = new ServedRows<Row>({ queue: new RequestQueue(4) });
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

test('what is forgotten is not shown, asked for or answered', async () => {
  const asked: number[] = [];
  const rows = new ServedRows<Row>({ page: 100 });
  rows.want('a', async (offset, limit) => (asked.push(offset), answer(offset, limit, 1000)));
  await settled();
  rows.look({ row: 250, rowEnd: 310 });
  await settled();
  expect([asked, rows.here.length, rows.at(300)?.[0]]).toEqual([[0, 200, 300], 300, '300']);
  rows.forget();
  rows.look({ row: 500, rowEnd: 600 });
  await settled();
  expect([asked.length, rows.count, rows.at(0)]).toEqual([3, 0, null]);
});
