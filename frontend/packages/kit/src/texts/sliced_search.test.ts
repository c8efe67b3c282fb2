import { Page } from '@insight-host/kit/lab';
import { fakeContext } from '@insight-host/kit/testing';
import { expect, it, vi } from 'vitest';
import { SlicedSearch, type SearchSlice } from './sliced_search';

async function* numbers(slices: number, each: number): AsyncIterable<SearchSlice<number>> {
  for (let at = 0; at < slices; at++)
    yield { hits: Array.from({ length: each }, (_, i) => at * each + i), share: (at + 1) / slices };
}

it('lists hits as they come and counts those that it does not list', async () => {
  const search = new SlicedSearch<number>(new Page(fakeContext(['r'])));
  search.want(() => numbers(3, 900));
  await vi.waitFor(() => expect(search.share.value).toBe(1));
  expect([search.count.value, search.hits.value.length, search.hits.value.at(-1)]).toEqual([2700, 2000, 1999]);
  expect([search.step(-1), search.step(1), search.step(1)]).toEqual([1999, 0, 1]);
  search.want(null);
  expect([search.count.value, search.step(1)]).toEqual([0, undefined]);
});

it('forgets what the search before it still finds', async () => {
  const search = new SlicedSearch<number>(new Page(fakeContext(['r'])));
  let go = (): void => undefined;
  search.want(async function* () {
    await new Promise<void>((done) => (go = done));
    yield { hits: [7], share: 1 };
  });
  search.want(() => numbers(1, 1));
  go();
  await vi.waitFor(() => expect(search.share.value).toBe(1));
  expect(search.hits.value).toEqual([0]);
});

it('says why a part could not be searched and goes on, and why the search ended', async () => {
  const search = new SlicedSearch<number>(new Page(fakeContext(['r'])));
  search.want(async function* () {
    yield { hits: [], share: 0.5, failure: new Error('unreadable') };
    yield { hits: [1], share: 1 };
  });
  await vi.waitFor(() => expect(search.share.value).toBe(1));
  expect([search.failure.value, search.hits.value]).toEqual(['unreadable', [1]]);
  search.want(async function* () {
    yield { hits: [1], share: 0.5 };
    throw new Error('refused');
  });
  await vi.waitFor(() => expect(search.failure.value).toBe('refused'));
  expect([search.share.value, search.hits.value]).toEqual([1, [1]]);
});
