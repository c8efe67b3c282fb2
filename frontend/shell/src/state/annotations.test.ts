import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Annotations } from './annotations';
import { archive } from '../views/run_menu';

/** The host's side: what it has, and what it was asked. */
class Host {
  token = 'first';
  generation = 1;
  writable = true;
  refuse: string | null = null;
  runs: Record<string, Record<string, unknown>> = { a: { remark: 'good', mark: 3 } };
  readonly asked: string[] = [];

  readonly fetch = (
    _url: string,
    { method = 'GET', body = '', headers = {} }: { method?: string; body?: string; headers?: Record<string, string> },
  ): Promise<Response> => {
    this.asked.push(method);
    if (method === 'GET')
      return answer(200, {
        generation: this.generation,
        writable: this.writable,
        reason: null,
        token: this.token,
        runs: this.runs,
      });
    if (headers['X-Insight-Token'] !== this.token) return answer(403, { error: 'another token' });
    if (this.refuse) return answer(503, { error: this.refuse });
    const { run, ...fields } = JSON.parse(body) as Record<string, unknown>;
    this.runs[String(run)] = { ...this.runs[String(run)], ...fields };
    return answer(200, { generation: ++this.generation, run, annotation: this.runs[String(run)] });
  };
}

const answer = (status: number, body: unknown): Promise<Response> =>
  Promise.resolve(new Response(JSON.stringify(body), { status }));

describe('annotations', () => {
  let host: Host;
  let annotations: Annotations;
  beforeEach(async () => {
    host = new Host();
    vi.stubGlobal('fetch', host.fetch);
    annotations = new Annotations();
    await annotations.refresh();
  });
  afterEach(() => void vi.unstubAllGlobals());

  it('are what the host says', () => {
    expect(annotations.byRun.value.get('a')).toEqual({
      displayName: '',
      note: '',
      remark: 'good',
      mark: 3,
      archived: false,
    });
    expect(annotations.writable.value).toBe(true);
  });

  it('are asked for once when the page hears of changes before the first answer', async () => {
    const early = new Annotations();
    host.asked.length = 0;
    await Promise.all([early.refresh(), early.follow(1)]);
    expect(host.asked).toEqual(['GET']);
    await early.follow(2);
    expect(host.asked).toHaveLength(2);
  });

  it('are on the page at once and at the host soon', async () => {
    const sent = annotations.write('b', { displayName: 'Best', mark: 2 });
    expect(annotations.byRun.value.get('b')?.displayName).toBe('Best');
    await sent;
    expect(host.runs['b']).toEqual({ display_name: 'Best', mark: 2 });
  });

  it('archive runs on the host, and list those that it does not take', async () => {
    await archive(annotations, ['a', 'b'], true);
    expect([...annotations.archived.value]).toEqual(['a', 'b']);
    expect(host.runs).toEqual({ a: { remark: 'good', mark: 3, archived: true }, b: { archived: true } });
    host.refuse = 'the disk is full';
    await expect(archive(annotations, ['c'], true)).rejects.toThrow('the disk is full');
    expect([...annotations.archived.value]).toEqual(['a', 'b']);
  });

  it('archive runs in this browser while the host saves nothing', async () => {
    localStorage.clear();
    host.writable = false;
    await annotations.refresh();
    await archive(annotations, ['a', 'b'], true);
    await archive(annotations, ['b'], false);
    expect(host.asked).not.toContain('PUT');
    const reloaded = new Annotations();
    await reloaded.refresh();
    expect([...reloaded.archived.value]).toEqual(['a']);
    localStorage.clear();
  });

  it('are what they were when the host refuses', async () => {
    host.refuse = 'the disk is full';
    await expect(annotations.write('a', { remark: 'bad' })).rejects.toThrow('the disk is full');
    expect(annotations.byRun.value.get('a')?.remark).toBe('good');
  });

  it('cannot be written any more once the host says so after a refusal', async () => {
    host.refuse = 'the disk is full';
    host.writable = false;
    await expect(annotations.write('a', { remark: 'bad' })).rejects.toThrow('the disk is full');
    await vi.waitFor(() => expect(annotations.writable.value).toBe(false));
    expect(annotations.byRun.value.get('a')?.remark).toBe('good');
  });

  it('go to a host that was started again: it has another token', async () => {
    host.token = 'second';
    await annotations.write('a', { note: 'kept' });
    expect(host.runs['a']?.['note']).toBe('kept');
    expect(annotations.byRun.value.get('a')?.note).toBe('kept');
  });

  it('are not asked for again while nothing changed', async () => {
    await annotations.follow(1);
    await annotations.follow(undefined);
    expect(host.asked).toEqual(['GET']);
    host.runs['a'] = { remark: 'elsewhere' };
    host.generation = 2;
    await annotations.follow(2);
    expect(annotations.byRun.value.get('a')?.remark).toBe('elsewhere');
  });

  it('stay while the host does not answer', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('away')));
    await annotations.refresh();
    expect(annotations.byRun.value.get('a')?.mark).toBe(3);
  });
});
