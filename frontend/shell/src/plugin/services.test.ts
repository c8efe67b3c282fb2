import { signal } from '@preact/signals';
import type { PluginContext } from '@insight-host/api';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Page } from '../state/page';
import { pluginContext } from './context';
import { icon } from './services';

describe('what a plugin asks and sends', () => {
  let ctx: PluginContext;
  let sent: { path: string; method: string; headers: Record<string, string>; body: unknown }[];
  let replies: Record<string, Response>;
  let token: string;

  beforeEach(() => {
    [sent, replies, token] = [[], {}, 'first'];
    vi.stubGlobal('fetch', async (url: string, { method = 'GET', headers = {}, body }: RequestInit = {}) => {
      const { pathname, search } = new URL(url);
      if (pathname.endsWith('data/annotations'))
        return Response.json({ generation: 1, token, writable: true, runs: {} });
      sent.push({ path: pathname + search, method, headers: headers as Record<string, string>, body });
      const isOwn = method === 'GET' || (headers as Record<string, string>)['X-Insight-Token'] === token;
      return isOwn
        ? (replies[pathname]?.clone() ?? Response.json({}))
        : Response.json({ error: 'no' }, { status: 403 });
    });
    const mounting = { messages: { en: { 'error.full': 'Full up' } }, name: 'mine', visible: signal(true) };
    ctx = pluginContext(new Page(), { ...mounting, signal: new AbortController().signal, onError: () => undefined });
  });

  it('goes to a route of its own with the token of the host, as JSON', async () => {
    replies['/data/plugin/mine/notes'] = Response.json({ id: 7 });
    expect(await ctx.data.post('notes', { text: 'hello' }, { query: { run: 'a b' } })).toEqual({ id: 7 });
    const { path, method, headers, body } = sent.at(-1)!;
    expect([path, method, body]).toEqual(['/data/plugin/mine/notes?run=a+b', 'POST', '{"text":"hello"}']);
    expect(headers).toEqual({ 'Content-Type': 'application/json', 'X-Insight-Token': 'first' });
  });

  it('is sent again with the new token of a host that was started again', async () => {
    await ctx.data.post('notes');
    token = 'second';
    await ctx.data.post('notes');
    expect(sent.at(-1)!.headers).toEqual({ 'X-Insight-Token': 'second' });
  });

  it('may be answered without a body', async () => {
    replies['/data/plugin/mine/notes'] = new Response(null, { status: 204 });
    expect(await ctx.data.post('notes', [])).toBeNull();
  });

  it('fails with the reason in the words of the plugin', async () => {
    replies['/data/plugin/mine/notes'] = Response.json({ error: 'x', code: 'full' }, { status: 409 });
    await expect(ctx.data.post('notes', {})).rejects.toMatchObject({ message: 'Full up', code: 'full', status: 409 });
  });

  it('may be asked of another plugin', async () => {
    replies['/data/plugin/calibration/ece'] = Response.json([0.2]);
    expect(await ctx.ask('calibration', 'ece', { run: 'a' })).toEqual([0.2]);
    expect(sent.at(-1)!.path).toBe('/data/plugin/calibration/ece?run=a');
  });
});

it('draws a mark in its colour, and a dot for a name that this page does not know', () => {
  const [mark, other] = [icon('mark-3'), icon('mark-4')];
  expect(mark.getAttribute('class')).toBe('ih-icon ih-mark');
  expect([mark, other].map(({ style }) => style.getPropertyValue('--mark-hue'))).toEqual(['350', '145']);
  const unknown = icon('of a newer page');
  expect(unknown.tagName.toLowerCase()).toBe('svg');
  expect(unknown.querySelector('path')?.getAttribute('d')).toBe('M8 8h.1');
});
