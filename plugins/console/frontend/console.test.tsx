import { fakeContext } from '@insight-host/kit/testing';
import { Page } from '@insight-host/kit';
import { describe, expect, it, vi } from 'vitest';
import { Log } from './log';
import { SlicedSearch } from '@insight-host/kit/texts';
import { searchLogs, type Hit } from './search';

type Query = Readonly<Record<string, unknown>>;

function logOf(lines: () => readonly string[], wait: (query: Query) => Promise<unknown> = async () => undefined) {
  const asked: Query[] = [];
  const ctx = fakeContext(['a'], {
    json: async (_route, query = {}) => {
      asked.push(query);
      const all = lines();
      const count = Number(query['count']);
      const first = query['first'] === undefined ? Math.max(0, all.length - count) : Number(query['first']);
      const size = all.join('\n').length;
      const sent = all.slice(first, first + count).map((text, i) => [first + i, text, 0, 0, null]);
      await wait(query);
      return { log: all[0]?.slice(0, 1), lines: sent, first, found: null, total: all.length, indexed: size, size };
    },
  });
  return { asked, log: new Log(new Page(ctx), 'a', 'train.log') };
}

describe('a log', () => {
  it('asks for its end first, then only for lines in sight', async () => {
    const { asked, log } = logOf(() => Array.from({ length: 10_000 }, (_, i) => `line ${i}`));
    await log.refresh();
    expect(log.state.value?.total).toBe(10_000);
    expect(log.row(9_999)?.text).toBe('line 9999');
    log.want(4_990, 5_020);
    await vi.waitFor(() => expect(log.row(5_010)?.text).toBe('line 5010'));
    log.want(4_995, 5_015);
    expect(asked.map(({ first }) => first)).toEqual([undefined, 4_800, 5_000]);
  });

  it('forgets the lines of a file that was truncated, and a last line that has grown', async () => {
    let lines = ['one', 'two', 'thr'];
    const { log } = logOf(() => lines);
    await log.refresh();
    lines = ['one', 'two', 'three', 'four'];
    await log.refresh();
    expect(log.row(2)?.text).toBe('three');
    lines = ['new'];
    await log.refresh();
    expect([log.row(0)?.text, log.row(1)]).toEqual(['new', undefined]);
  });
});

describe('a log that changes', () => {
  it('forgets the lines of a file that a longer one replaced', async () => {
    let lines = Array.from({ length: 300 }, (_, i) => `old ${i}`);
    const { log } = logOf(() => lines);
    await log.refresh();
    expect(log.row(150)?.text).toBe('old 150');
    lines = Array.from({ length: 900 }, (_, i) => `new ${i}`);
    await log.refresh();
    expect([log.row(150), log.row(850)?.text, log.forgotten.value]).toEqual([undefined, 'new 850', 1]);
  });

  it('is not shortened by an answer that comes late', async () => {
    let lines = Array.from({ length: 900 }, (_, i) => `line ${i}`);
    let release = (): void => undefined;
    const late = new Promise<void>((done) => (release = done));
    const { log } = logOf(
      () => lines,
      async ({ first }) => first !== undefined && late,
    );
    await log.refresh();
    log.want(390, 410);
    lines = [...lines, 'one more'];
    await log.refresh();
    release();
    await vi.waitFor(() => expect(log.row(400)?.text).toBe('line 400'));
    expect([log.state.value?.total, log.row(900)?.text]).toEqual([901, 'one more']);
  });
});

describe('a search', () => {
  const places = [
    { run: 'a', tag: 'x.log' },
    { run: 'b', tag: 'y.log' },
  ];

  it('goes through the slices of all logs, and round through their hits', async () => {
    const ctx = fakeContext(['a', 'b'], {
      json: async (_route, query = {}) =>
        query['offset'] === 0 && query['run'] === 'a'
          ? { hits: [[3, 'three']], next: [100, 7], size: 200 }
          : { hits: [[Number(query['line']) + 1, 'more']], next: null, size: 200 },
    });
    const page = new Page(ctx);
    const search = new SlicedSearch<Hit>(page);
    search.want((stop) => searchLogs(page, { q: 'e', isRegex: false, places }, stop));
    await vi.waitFor(() => expect(search.share.value).toBe(1));
    expect(search.hits.value.map(({ run, line }) => [run, line])).toEqual([
      ['a', 3],
      ['a', 8],
      ['b', 1],
    ]);
    expect(search.step(1)?.line).toBe(3);
    expect(search.step(-1)?.run).toBe('b');
    expect(search.step(1)?.line).toBe(3);
  });

  it('says why a pattern is refused, and asks no other log', async () => {
    const asked = vi.fn();
    const ctx = fakeContext(['a', 'b'], {
      json: async () => {
        asked();
        throw Object.assign(new Error('q is not a regular expression'), { status: 400 });
      },
    });
    const page = new Page(ctx);
    const search = new SlicedSearch<Hit>(page);
    search.want((stop) => searchLogs(page, { q: '(', isRegex: true, places }, stop));
    await vi.waitFor(() => expect(search.failure.value).toBe('q is not a regular expression'));
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
