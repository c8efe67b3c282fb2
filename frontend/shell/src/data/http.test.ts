import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const answered = (): Response => new Response('"asked"');

beforeEach(() => vi.resetModules());
afterEach(() => {
  globalThis.insightStart = undefined;
});

it('takes each answer that boot asked for once, and asks for all others', async () => {
  globalThis.insightStart = Promise.resolve({ 'data/run_table': 'ahead' });
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answered());
  const { getJson } = await import('./http');
  expect(await getJson('data/run_table', { columns: 'all' })).toBe('asked');
  expect(await Promise.all([getJson('data/run_table'), getJson('data/environment')])).toEqual(['ahead', 'asked']);
  expect(await getJson('data/run_table')).toBe('asked');
  expect(fetched).toHaveBeenCalledTimes(3);
});

it('asks for everything once data have changed', async () => {
  globalThis.insightStart = Promise.resolve({ 'data/plugin/image/tags': 'old' });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answered());
  const { forgetStart, getJson } = await import('./http');
  forgetStart();
  expect(await getJson('data/plugin/image/tags')).toBe('asked');
});
