import type { Saved, SavedEntry } from '@insight-host/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { savedOf } from '../plugin/services';
import { Page } from './page';

interface Call {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The host's side: what it has, and what it was asked. */
class Host {
  token = 'first';
  generation = 1;
  damage: unknown = null;
  readonly values = new Map<string, { version: string; value: unknown }>();
  readonly asked: string[] = [];
  missed = 0;

  write(name: string, value: unknown): void {
    this.values.set(name, { version: String(++this.generation), value });
  }

  readonly fetch = (url: string, { method = 'GET', body = '', headers = {} }: Call): Promise<Response> => {
    const { pathname, searchParams: query } = new URL(url);
    this.asked.push(`${method} ${pathname}`);
    const found = this.values.get(query.get('name') ?? '');
    if (method === 'GET' && query.has('name') && !found) this.missed++;
    if (method === 'GET' && query.has('name'))
      return found ? answer(200, found) : answer(404, { error: 'none', code: 'unknown_saved' });
    if (method === 'GET')
      return answer(200, {
        generation: this.generation,
        writable: true,
        token: this.token,
        damage: this.damage,
        entries: [...this.values].map(([name, { version }]) => ({ name, version })),
      });
    if (headers['X-Insight-Token'] !== this.token) return answer(403, { error: 'another token', code: 'forbidden' });
    const given = method === 'PUT' ? (JSON.parse(body) as Record<string, unknown>) : Object.fromEntries(query);
    const name = String(given['name']);
    if ((this.values.get(name)?.version ?? null) !== given['version'])
      return answer(409, { error: 'changed', code: 'saved_changed', details: { name } });
    if (method === 'PUT') this.write(name, given['value']);
    else this.values.delete(name);
    return answer(200, { name, version: this.values.get(name)?.version ?? null });
  };
}

const answer = (status: number, body: unknown): Promise<Response> =>
  Promise.resolve(new Response(JSON.stringify(body), { status }));

describe('what a tab saves on the host', () => {
  let host: Host;
  let page: Page;
  let saved: Saved;
  let ends: (() => void)[];
  const opened = (): Saved =>
    savedOf(
      page,
      'sample',
      (source) => source,
      (dispose) => ends.push(dispose),
    );
  const names = (): readonly string[] | undefined => saved.entries.value?.map(({ name }) => name);
  const told = (generation: number, boot = 'b'): void => {
    page.session.latest.value = { generation: 1, boot, runs: false, series: {}, saved: generation };
  };

  beforeEach(() => {
    host = new Host();
    ends = [];
    vi.stubGlobal('fetch', host.fetch);
    page = new Page();
    page.preferences.setLocale('en');
    page.session.latest.value = { generation: 1, boot: 'b', runs: false, series: {} };
    saved = opened();
  });
  afterEach(() => {
    for (const end of ends) end();
    vi.unstubAllGlobals();
  });

  it('is not asked for before the tab uses it', async () => {
    expect(saved.entries.value).toBeNull();
    told(5);
    expect(host.asked).toEqual([]);
    host.write('mine', 1);
    const seen: (readonly SavedEntry[] | null)[] = [];
    ends.push(saved.entries.subscribe((entries) => seen.push(entries)));
    await vi.waitFor(() => expect(seen.at(-1)?.map(({ name }) => name)).toEqual(['mine']));
    expect(host.asked).toEqual(['GET /data/saved/plugin/sample']);
  });

  it('is asked for once by a tab and what its plugin adds to the page, whatever comes meanwhile', async () => {
    const seen: unknown[] = [];
    ends.push(saved.entries.subscribe(() => undefined));
    await vi.waitFor(() => expect(host.asked).toHaveLength(1));
    told(1);
    await vi.waitFor(() => expect(names()).toEqual([]));
    host.write('mine', 1); // not told yet
    ends.push(opened().entries.subscribe((entries) => seen.push(entries)));
    await vi.waitFor(() => expect(seen.at(-1)).toEqual([]));
    expect(host.asked).toEqual(['GET /data/saved/plugin/sample']);
    told(2);
    await vi.waitFor(() => expect(seen.at(-1)).toHaveLength(1));
  });

  it('is asked for once when the first change comes before the first answer', async () => {
    const answers: (() => void)[] = [];
    vi.stubGlobal('fetch', (url: string, request: Call) => {
      return new Promise((resolve) => answers.push(() => resolve(host.fetch(url, request))));
    });
    ends.push(saved.entries.subscribe(() => undefined));
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    told(1);
    answers[0]?.();
    await vi.waitFor(() => expect(names()).toEqual([]));
    expect(answers).toHaveLength(1);
  });

  it('is written, read and removed by name and version', async () => {
    const first = await saved.set('视图/1', { columns: ['a'] }, null);
    expect(await saved.get('视图/1')).toMatchObject({ version: first.version, value: { columns: ['a'] } });
    const second = await saved.set('视图/1', undefined, first.version);
    expect(host.values.get('视图/1')?.value).toBeNull();
    expect(saved.entries.value).toEqual([{ name: '视图/1', version: second.version }]);
    expect(saved.writable.value).toBe(true);
    await saved.remove('视图/1', second.version);
    expect(await saved.get('视图/1')).toBeNull();
    expect(names()).toEqual([]);
  });

  it('is not asked for under a name that is not listed, which browsers log as an error', async () => {
    expect(await saved.get('mine')).toBeNull();
    host.write('mine', 1); // by another page, not told yet
    expect(await saved.get<number>('mine')).toMatchObject({ value: 1 });
    expect(host.missed).toBe(0);
  });

  it('is not overwritten by a page that read an older version, and that page hears of the newer one', async () => {
    const { version } = await saved.set('view', 1, null);
    host.write('view', 2);
    for (const late of [saved.set('view', 3, version), saved.set('view', 3, null), saved.remove('view', version)])
      await expect(late).rejects.toMatchObject({
        code: 'saved_changed',
        message: '“view” was changed on another page meanwhile: nothing was saved',
      });
    expect(host.values.get('view')?.value).toBe(2);
    expect(saved.entries.value).toEqual([{ name: 'view', version: host.values.get('view')?.version }]);
  });

  it('follows other pages, and asks no more than once for each change', async () => {
    await saved.list();
    told(1);
    host.write('theirs', 1);
    told(2);
    await vi.waitFor(() => expect(names()).toEqual(['theirs']));
    const { length } = host.asked;
    told(2);
    await saved.get('theirs');
    expect(host.asked.length).toBe(length + 1);
    host.values.clear();
    told(2, 'another process');
    await vi.waitFor(() => expect(names()).toEqual([]));
  });

  it('goes to a host that was started again: it has another token', async () => {
    await saved.list();
    host.token = 'second';
    await saved.set('view', 1, null);
    expect(host.values.get('view')?.value).toBe(1);
  });

  it('says once what of the file cannot be read', async () => {
    host.damage = { file: '/state/saved/x.jsonl', lines: 3 };
    await saved.list();
    page.toasts.close(page.toasts.list.value[0]?.id ?? -1);
    await saved.list();
    await opened().list();
    expect(page.toasts.list.value).toEqual([]);
    host.damage = { file: '/state/saved/y.jsonl', lines: 3 };
    await saved.list();
    expect(page.toasts.list.value.map(({ text }) => text).join()).toContain('/state/saved/y.jsonl');
  });

  it('no longer follows other pages once the tab is closed', async () => {
    await saved.list();
    for (const end of ends.splice(0)) end();
    const { length } = host.asked;
    told(9);
    expect(host.asked.length).toBe(length);
  });
});
