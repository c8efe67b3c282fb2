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

it('sends parameters that are too long for a URL as a form', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answered());
  const { getJson } = await import('./http');
  const run = Array.from({ length: 1000 }, (_, i) => `runs/number ${i}`);
  await getJson('data/plugin/scalar/bands', { run: run.slice(0, 9) });
  await getJson('data/plugin/scalar/bands', { run, tag: 'x' });
  const [short, long] = fetched.mock.calls.slice(-2).map(([url, request]) => ({ url: new URL(String(url)), request }));
  expect([short?.url.searchParams.getAll('run').length, short?.request?.method]).toEqual([9, undefined]);
  expect([long?.url.search, long?.request?.method]).toEqual(['', 'POST']);
  const form = long?.request?.body as URLSearchParams;
  expect([form.getAll('run'), form.get('tag')]).toEqual([run, 'x']);
});
