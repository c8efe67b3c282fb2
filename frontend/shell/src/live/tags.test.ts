import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServerChanges } from './connection';
import { TagSources, TagSource, type CatalogAnswer } from './tags';

const settle = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve));
const at = (series: ServerChanges['series'], generation = 2): ServerChanges => ({
  generation,
  boot: 'one',
  runs: false,
  series,
});

/** The answer of a host with these series; attempts are given where they are not 1. */
function answer(
  series: Readonly<Record<string, readonly string[]>>,
  more: Partial<CatalogAnswer> = {},
  attempts: CatalogAnswer['columns']['attempts'] = 1,
): CatalogAnswer {
  const tags = [...new Set(Object.values(series).flat())];
  const lists = [...new Set(Object.values(series).map((list) => list.join()))];
  return {
    generation: 1,
    boot: 'one',
    since: null,
    gone: {},
    tags,
    sets: lists.map((list) => list.split(',').map((tag) => tags.indexOf(tag))),
    runs: Object.keys(series),
    set_of: Object.values(series).map((list) => lists.indexOf(list.join())),
    columns: { attempts, claims: { values: [['plugin:scalars']], of: 0 } },
    ...more,
  };
}

describe('the series of a plugin', () => {
  let asked: URLSearchParams[];
  let answers: (CatalogAnswer | Error)[];
  let source: TagSource;

  beforeEach(() => {
    asked = [];
    answers = [];
    source = new TagSource('scalar', false);
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(new URL(url).searchParams);
      const found = answers.shift();
      if (!found || found instanceof Error) throw found ?? new Error('not expected');
      return Response.json(found);
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  const series = (): Record<string, readonly string[]> =>
    Object.fromEntries(source.table.value?.runs.map((run) => [run, source.table.value?.tagsOf(run) ?? []]) ?? []);

  it('are asked for once, then as what changed', async () => {
    answers = [answer({ a: ['loss', 'x'], b: ['loss', 'x'], c: ['loss'] }), answer({}, { since: 1, generation: 5 })];
    await source.ask();
    expect(series()).toEqual({ a: ['loss', 'x'], b: ['loss', 'x'], c: ['loss'] });
    const { value: before } = source.table;
    expect(before?.tagsOf('a')).toBe(before?.tagsOf('b'));
    expect(before?.infoOf('c', 'loss')).toEqual({ attempts: 1, claims: ['plugin:scalars'], plugin: 'scalar' });
    expect(before?.infoOf('c', 'x')).toBeUndefined();
    expect(before?.infoOf('nobody', 'toString')).toBeUndefined();
    await source.ask();
    expect(asked.map(String)).toEqual(['plugin=scalar', 'plugin=scalar&since=one-1']);
    expect(source.table.value).toBe(before); // nothing new: nothing downstream wakes up
  });

  it('take in a delta: what came, what has other attempts, and what went', async () => {
    answers = [
      answer({ a: ['loss', 'x'], b: ['loss'], c: ['loss'] }),
      answer(
        { a: ['loss'], b: ['new', 'loss'], d: ['new'] },
        { since: 1, gone: { c: ['loss'], a: ['x'] } },
        [2, 1, 3, 1],
      ),
    ];
    await source.ask();
    expect(source.table.value?.hasRestarts('a')).toBe(false);
    await source.ask();
    expect(series()).toEqual({ a: ['loss'], b: ['loss', 'new'], d: ['new'] });
    const { value: table } = source.table;
    expect(['a', 'b', 'd'].map((run) => table?.hasRestarts(run))).toEqual([true, true, false]);
    expect(table?.infoOf('b', 'loss')?.attempts).toBe(3);
    expect(table?.infoOf('b', 'new')?.attempts).toBe(1);
    expect(table?.infoOf('a', 'x')).toBeUndefined();
  });

  it('may be of a run of any name', async () => {
    answers = [answer({ constructor: ['x'] }), answer({ constructor: ['y'] }, { since: 1, gone: { toString: ['x'] } })];
    await source.ask();
    await source.ask();
    expect(source.table.value?.tagsOf('constructor')).toEqual(['x', 'y']);
    expect(source.table.value?.runs).toEqual(['constructor']);
  });

  it('share their lists after a delta too', async () => {
    answers = [answer({ a: ['loss'], b: ['loss'] }), answer({ a: ['new'], b: ['new'] }, { since: 1 })];
    await source.ask();
    await source.ask();
    expect(series()).toEqual({ a: ['loss', 'new'], b: ['loss', 'new'] });
    expect(source.table.value?.tagsOf('a')).toBe(source.table.value?.tagsOf('b'));
  });

  it('are replaced by an answer that is whole', async () => {
    answers = [answer({ a: ['loss'], b: ['loss'] }), answer({ b: ['x'] }, { boot: 'two', generation: 1 }), answer({})];
    await source.ask();
    await source.ask();
    expect(series()).toEqual({ b: ['x'] });
    await source.ask();
    expect(asked.at(-1)?.get('since')).toBe('two-1');
  });

  it('are due only when a change may be news', async () => {
    answers = [answer({ a: ['loss', 'toString'] })];
    expect(source.isDue.value).toBe(true);
    await source.ask();
    const isDueAfter = (changes: ServerChanges): boolean => {
      source.accept(changes);
      return source.isDue.value;
    };
    expect(isDueAfter(at({ scalar: { a: ['loss', 'toString'] } }))).toBe(false);
    expect(isDueAfter(at({ image: { a: ['new'] } }))).toBe(false);
    expect(isDueAfter({ ...at({ image: { a: ['loss'] } }), gone: true })).toBe(false);
    expect(isDueAfter(at({ scalar: { a: ['loss', 'constructor'] } }))).toBe(true);
  });

  const went: ServerChanges = { ...at({ scalar: { a: ['loss'] } }), gone: true };
  it.each([at(null), at({ scalar: { b: ['loss'] } }), went])('are due after %j', async (changes) => {
    answers = [answer({ a: ['loss'] })];
    await source.ask();
    source.accept(changes);
    expect(source.isDue.value).toBe(true);
  });

  it('are asked for one after the other, so that no older answer comes last', async () => {
    let deliver: (found: Response) => void = () => undefined;
    vi.stubGlobal('fetch', (url: string) => {
      asked.push(new URL(url).searchParams);
      return new Promise((resolve) => (deliver = resolve));
    });
    const first = source.ask();
    await settle();
    source.accept(at(null));
    await source.ask(); // the first is still under way
    expect([asked.length, source.isDue.value]).toEqual([1, false]);
    deliver(Response.json(answer({ a: ['loss'] })));
    await first;
    expect(source.isDue.value).toBe(true);
  });

  it('stay when the host cannot be asked, and say why', async () => {
    answers = [answer({ a: ['loss'] }), new Error('gone'), answer({ a: ['x'] }, { since: 1 })];
    await source.ask();
    await source.ask();
    expect(source.failure.value).toContain('gone');
    expect(series()).toEqual({ a: ['loss'] });
    expect(source.isDue.value).toBe(false); // not again and again
    source.refresh();
    expect(source.isDue.value).toBe(true);
    await source.ask();
    expect([source.failure.value, series()]).toEqual([null, { a: ['loss', 'x'] }]);
  });

  it('that no plugin claims have their owner, and follow every change', async () => {
    const all = new TagSources();
    source = all.of('tensor', true);
    expect(all.of('tensor', true)).toBe(source);
    expect(all.of('tensor')).not.toBe(source);
    const found = answer({ a: ['mine', 'note'] });
    answers = [{ ...found, columns: { ...found.columns, plugin: { values: ['tensor', 'plugin:text'], of: [0, 1] } } }];
    await source.ask();
    expect(asked[0]?.toString()).toBe('plugin=tensor&unclaimed=1&columns=attempts%2Cclaims%2Cplugin');
    expect(source.table.value?.infoOf('a', 'note')?.plugin).toBe('plugin:text');
    expect(source.table.value?.infoOf('a', 'mine')?.plugin).toBe('tensor');
    all.accept(at({}));
    expect(source.isDue.value).toBe(true);
  });
});
