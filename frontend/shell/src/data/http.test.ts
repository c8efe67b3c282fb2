import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Problem } from '@insight-host/kit';
import { effect } from '@preact/signals';
import { reasonsIn, shownLocale } from '../i18n/texts';
import { RequestError } from './http';

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

it('says which changes the page knows, so that the host may share an answer of that state', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answered());
  const { getJson, noteKnown } = await import('./http');
  const known = async (): Promise<string | null> => {
    await getJson('data/runs');
    return new Headers(fetched.mock.lastCall?.[1]?.headers).get('X-Insight-Known');
  };
  expect(await known()).toBeNull();
  noteKnown({ boot: 'host', generation: 7 });
  expect(await known()).toBe('host-7');
  noteKnown({ generation: 8 });
  expect(await known()).toBeNull();
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

const errorOf = (body: unknown, status = 404): RequestError =>
  RequestError.of(new Response(null, { status, statusText: 'Not Found' }), body);

afterEach(() => void (shownLocale.value = ''));

describe('an error of the host', () => {
  it('is shown in the language of the user, with what it is about', () => {
    const body = { error: "unknown run 'a'", code: 'unknown_run', details: { run: 'a' } };
    shownLocale.value = 'zh-CN';
    expect(errorOf(body)).toMatchObject({
      message: '没有名为 a 的运行',
      code: 'unknown_run',
      details: { run: 'a' },
      status: 404,
    });
    shownLocale.value = 'en';
    expect(errorOf(body).message).toBe('The run a does not exist');
  });

  it('keeps the text of the server as the detail of a general code', async () => {
    shownLocale.value = 'zh-CN';
    await reasonsIn('zh-CN');
    expect(errorOf({ error: 'no step 7', code: 'not_found' }).message).toBe('不存在：no step 7');
  });

  it('has the text of the server where the page has none for the code, or a value is missing', () => {
    shownLocale.value = 'zh-CN';
    for (const code of ['from_another_plugin', 'unknown_run', 'constructor', undefined, 7]) {
      expect(errorOf({ error: 'the text', code, details: null }).message).toBe('the text');
    }
  });

  it('says in the language of the user what a record lacks, and why', async () => {
    const cause = { error: "the checksum of the record's data is wrong", code: 'record_checksum' };
    const details = { run: 'a', tag: 'loss', step: 3, index: 12345, cause };
    const body = { error: 'all of it', code: 'undecodable_record', details };
    shownLocale.value = 'zh-CN';
    await reasonsIn('zh-CN');
    expect(errorOf(body, 422).message).toBe('a 的 loss，步骤 3（第 12,345 条记录）：记录数据的校验和错误');
    shownLocale.value = 'en';
    expect(errorOf(body, 422).message, 'that of the server is English').toBe('all of it');
  });

  it('of a plugin is said in its words, also as the cause of another', async () => {
    const messages = { 'zh-CN': { 'reason.mine_odd': '奇数：{number}' }, en: { 'reason.mine_odd': 'Odd: {number}' } };
    const cause = { error: 'it is odd', code: 'mine_odd', details: { number: 7 } };
    const details = { run: 'a', tag: 'loss', step: 3, index: 0, cause };
    shownLocale.value = 'zh-CN';
    await reasonsIn('zh-CN');
    expect(errorOf({ ...cause }).saidBy(messages).message).toBe('奇数：7');
    expect(errorOf({ error: '', code: 'undecodable_record', details }).saidBy(messages).message).toContain('：奇数：7');
    shownLocale.value = 'en';
    expect(errorOf({ ...cause }).saidBy(messages)).toMatchObject({ message: 'Odd: 7', code: 'mine_odd', status: 404 });
    const whole = { error: 'it: loss of a: it is odd', code: 'undecodable_record', details };
    expect(errorOf(whole).saidBy(messages).message, 'the English of the plugin').toBe('it: loss of a: Odd: 7');
  });

  it('of a plugin for the last release has its words, with a warning that names the new key', () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const messages = { 'zh-CN': { 'error.mine_old': '旧：{number}' } };
    shownLocale.value = 'zh-CN';
    const body = { error: 'old', code: 'mine_old', details: { number: 7 } };
    for (let asked = 0; asked < 2; asked++) expect(errorOf(body).saidBy(messages).message).toBe('旧：7');
    expect(warned).toHaveBeenCalledOnce();
    expect(warned.mock.calls[0]?.[0]).toContain('"reason.mine_old"');
    warned.mockRestore();
  });

  it('follows the language of the page', () => {
    const error = errorOf({ error: "unknown run 'a'", code: 'unknown_run', details: { run: 'a' } });
    const problem = new Problem();
    const shown: (string | null)[] = [];
    shownLocale.value = 'zh-CN';
    const end = effect(() => void shown.push(problem.value));
    problem.set(error);
    shownLocale.value = 'en';
    problem.clear();
    expect(shown).toEqual([null, '没有名为 a 的运行', 'The run a does not exist', null]);
    end();
  });

  it('has the status where a proxy errorOf', () => {
    expect(errorOf(null, 502)).toMatchObject({ message: '502 Not Found', code: '', status: 502 });
  });
});
