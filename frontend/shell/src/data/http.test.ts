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

it('gives each part of an answer as soon as it is there, however it is cut', async () => {
  const part = (card: number): Uint8Array => {
    const header = new TextEncoder().encode(JSON.stringify({ __metadata__: { card: String(card) } }));
    const bytes = new Uint8Array(12 + header.length);
    new DataView(bytes.buffer).setUint32(0, 8 + header.length, true);
    new DataView(bytes.buffer).setBigUint64(4, BigInt(header.length), true);
    bytes.set(header, 12);
    return bytes;
  };
  const body = new Uint8Array([...part(0), ...part(1)]);
  const { getFrames } = await import('./http');
  for (const size of [1, 7, part(0).length, body.length]) {
    const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, i) =>
      body.slice(i * size, (i + 1) * size),
    );
    let sent = 0;
    const stream = new ReadableStream({
      pull: (controller) => (pieces[sent] ? controller.enqueue(pieces[sent++]) : controller.close()),
    });
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(stream));
    const found: string[] = [];
    for await (const { metadata } of getFrames('cards')) found.push(metadata['card'] as string);
    expect(found).toEqual(['0', '1']);
  }
});

it('says when an answer of parts is cut off', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(new Uint8Array([9, 0, 0, 0, 1])));
  const { getFrames } = await import('./http');
  await expect(getFrames('cards').next()).rejects.toThrow('cut off');
});
