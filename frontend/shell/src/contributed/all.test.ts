import { signal } from '@preact/signals';
import { API, type Contributions, type Marker, type PluginContext, type RunColumn } from '@insight-host/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Page } from '../state/page';
import type { Tab } from '../state/session';
import { commands } from '../views/palette';
import type { Shower } from '../state/late';
import { AllContributions } from './all';
import { give, loaded, type Modules, tabOf } from './testing';

/** A promise that ends when the test says so. */
function later<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve: (value) => resolve(value) };
}

describe('what plugins contribute', () => {
  let page: Page;
  let all: AllContributions;
  const ended = new AbortController();
  let shower: Shower;
  const troubles = (plugin: string): readonly string[] => all.troublesOf(plugin, plugin)?.lines ?? [];

  const load = async (modules: Modules): Promise<void> => {
    all = await loaded(page, modules);
  };

  beforeEach(() => {
    localStorage.clear();
    page = new Page();
    page.preferences.setLocale('en');
    const { url, runs } = page;
    shower = { name: 'shows', visible: signal(true), signal: ended.signal, url, runs };
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('has commands in the palette, in the language of the page, though no tab was opened', async () => {
    const run = vi.fn((ctx: PluginContext) => void ctx.open('image', { step: '7' }));
    await load({ mine: give({ commands: [{ text: 'tidy', run }] }), image: give({}) });
    const found = (label: string): ReturnType<typeof commands>[number] | undefined =>
      commands(page).find((command) => command.label === label);
    expect(found('Tidy up')?.group).toBe('mine');
    page.preferences.setLocale('zh-CN');
    found('整理')?.run();
    expect(run).toHaveBeenCalledTimes(1);
    expect([page.front.value?.name, page.url.get('image.step')]).toEqual(['image', '7']);
    page.session.plugins.value = [tabOf('image')];
    expect(found('整理')).toBeUndefined();
  });

  it('needs no tab, and then says in the page itself what fails', async () => {
    await load({ mine: give({ commands: [{ text: 'tidy', run: () => undefined }] }), image: give({}) });
    const [mine, image] = page.session.plugins.value as readonly [Tab, Tab];
    const loading = { type: 'ES_MODULE', contributions_path: 'other/contributions.js' };
    page.session.plugins.value = [{ ...mine, name: 'mute', tab: false, loading_mechanism: loading }, image];
    expect(page.tabs.value.map(({ name }) => name)).toEqual(['image']);
    await vi.waitFor(() => expect(page.toasts.list.value.map(({ text }) => text).join()).toContain('mine: '));
  });

  it('asks for marks again when the plugin says that they changed', async () => {
    vi.useFakeTimers();
    const changed = signal(0);
    await load({ mine: give({ changed, markers: () => [{ step: changed.value, text: 'm' }] }) });
    const seen: (number | undefined)[][] = [];
    const show = (markers: readonly Marker[]): void => void seen.push(markers.map(({ step }) => step));
    const stop = all.shownIn(shower).markers({ tags: ['loss'], runs: ['a'] }, show);
    await vi.advanceTimersByTimeAsync(3000);
    expect(seen.at(-1)).toEqual([0]);
    changed.value = 7;
    await vi.advanceTimersByTimeAsync(3000);
    expect(seen.at(-1)).toEqual([7]);
    stop();
  });

  it('has a command once in the palette that is a shortcut of the open tab, too', async () => {
    await load({ mine: give({ commands: [{ text: 'tidy', run: () => undefined }] }), image: give({}) });
    page.shortcuts.add({ key: 'x', owner: 'mine', description: 'Tidy up', run: () => undefined });
    page.shortcuts.add({ key: 'y', owner: 'image', description: 'Tidy up', run: () => undefined });
    const groups = commands(page).flatMap(({ label, group }) => (label === 'Tidy up' ? [group] : []));
    expect(groups.sort()).toEqual(['image', 'mine']);
  });

  it('keeps a module while its address stays, and loads another build', async () => {
    const command = (text: string): Contributions => give({ commands: [{ text, run: () => undefined }] });
    await load({ mine: command('one') });
    page.session.plugins.value = [{ ...tabOf('mine'), tab_name: 'Mine' }];
    expect(all.commands.map(({ label }) => label)).toEqual(['one']);
    const next = tabOf('mine');
    page.session.plugins.value = [
      { ...next, loading_mechanism: { ...next.loading_mechanism, contributions_path: 'mine/other/contributions.js' } },
    ];
    expect(all.commands).toEqual([]);
  });

  it.each([
    ['cannot be loaded', new Error('404'), 'contributions.js: 404'],
    ['exports nothing', undefined, 'contributions.js: it has no object as its default export'],
    ['is of another version', { apiVersion: 9 }, 'requires version 9'],
    ['has no function for marks', { apiVersion: API, markers: [] }, 'not as the plugin interface defines it'],
    [
      'has commands that are none',
      { apiVersion: API, commands: [null, 3, { text: 'x' }] },
      'not as the plugin interface',
    ],
    ['has no list of cards', { apiVersion: API, cards: {} }, 'not as the plugin interface'],
  ])('leaves out a module that %s, says so, and goes on with the others', async (_, broken, reason) => {
    await load({ broken, good: give({ commands: [{ text: 'tidy', run: () => undefined }] }) });
    await vi.waitFor(() => expect(troubles('broken').join()).toContain(reason));
    expect(all.commands.map(({ label }) => label)).toEqual(['Tidy up']);
    expect(troubles('good')).toEqual([]);
  });

  it('says that a module hangs, and has those of others', async () => {
    vi.useFakeTimers();
    page.session.plugins.value = [tabOf('hangs'), tabOf('good')];
    all = new AllContributions(page, async (url) =>
      url.includes('hangs')
        ? new Promise(() => undefined)
        : { default: give({ commands: [{ text: 'tidy', run: vi.fn() }] }) },
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect(troubles('hangs')).toEqual(['contributions.js: no answer after 10 s']);
    expect(all.commands).toHaveLength(1);
  });

  it('says no longer that a module hangs when it came late', async () => {
    vi.useFakeTimers();
    page.session.plugins.value = [tabOf('slow')];
    const late = later<{ default: Contributions }>();
    all = new AllContributions(page, () => late.promise);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(troubles('slow')).toHaveLength(1);
    late.resolve({ default: give({ commands: [{ text: 'tidy', run: vi.fn() }] }) });
    await vi.advanceTimersByTimeAsync(0);
    expect([troubles('slow'), all.commands.length]).toEqual([[], 1]);
  });

  it.each([
    ['the page comes online', () => void dispatchEvent(new Event('online'))],
    ['it is seen again', () => void document.dispatchEvent(new Event('visibilitychange'))],
    ['the user asks for it', () => all.troublesOf('mine', 'mine')?.retry?.()],
  ])('loads a module again when %s', async (_, act) => {
    page.session.plugins.value = [tabOf('mine'), tabOf('broken')];
    const asked: string[] = [];
    all = new AllContributions(page, async (url) => {
      asked.push(url.replace(/^.*?([^/]+)\/contributions.js/, '$1'));
      if (url.includes('broken')) return { default: 3 };
      if (asked.filter((one) => one.startsWith('mine')).length === 1) throw new Error('offline');
      return { default: give({ commands: [{ text: 'tidy', run: vi.fn() }] }) };
    });
    await vi.waitFor(() => expect(troubles('mine')).toEqual(['contributions.js: offline']));
    await vi.waitFor(() => expect(troubles('broken')).toHaveLength(1));
    expect(all.troublesOf('broken', '')?.retry, 'what is loaded and wrong stays wrong').toBeUndefined();
    act();
    await vi.waitFor(() => expect(all.commands).toHaveLength(1));
    expect([troubles('mine'), asked]).toEqual([[], ['mine', 'broken', 'mine?attempt=1']]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
  ])('tells the user when a command %s', async (_, run) => {
    await load({ mine: give({ commands: [{ text: 'tidy', run }] }) });
    all.commands[0]?.run();
    await vi.waitFor(() => expect(troubles('mine')).toEqual(['The command “Tidy up”: boom']));
    expect(page.toasts.list.value.map(({ text }) => text)).toEqual(['The command “Tidy up”: boom']);
  });

  describe('marks of charts', () => {
    const chart = { tags: ['loss'], runs: ['a'] };
    const mark = (text: string): Marker => ({ step: 1, text });

    it('come from all plugins as they answer; one that fails, hangs or answers nonsense costs its own', async () => {
      vi.useFakeTimers();
      const asked = vi.fn();
      await load({
        good: give({ markers: (of) => (asked(of.tags, of.runs), [mark('good')]) }),
        later: give({ markers: async () => [mark('later')] }),
        throws: give({
          markers: () => {
            throw new Error('boom');
          },
        }),
        hangs: give({ markers: () => new Promise(() => undefined) }),
        odd: give({ markers: () => [mark('odd'), { text: 'nowhere' }, null as never] }),
      });
      const show = vi.fn<(markers: readonly Marker[]) => void>();
      const stop = all.shownIn(shower).markers(chart, show);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(asked).toHaveBeenCalledWith(['loss'], ['a']);
      expect(show.mock.lastCall?.[0].map(({ text }) => text)).toEqual(['good', 'later', 'odd']);
      expect(['good', 'throws', 'hangs', 'odd'].map(troubles)).toEqual([
        [],
        ['Marks of charts: boom'],
        ['Marks of charts: no answer after 10 s'],
        ['Marks of charts: not as the plugin interface defines it'],
      ]);
      stop();
    });

    it('are asked for again when data of the plugin change, and no more once the chart is gone', async () => {
      vi.useFakeTimers();
      const markers = vi.fn(() => []);
      await load({ mine: give({ markers }) });
      const stop = all.shownIn(shower).markers(chart, () => undefined);
      const change = async (series: Record<string, Record<string, string[]>>, generation: number): Promise<void> => {
        page.session.latest.value = { generation, runs: false, series };
        await vi.advanceTimersByTimeAsync(5000);
      };
      await vi.advanceTimersByTimeAsync(0);
      expect(markers).toHaveBeenCalledTimes(1);
      await change({ other: { a: ['x'] } }, 1);
      expect(markers).toHaveBeenCalledTimes(1);
      await change({ mine: { a: ['x'] } }, 2);
      expect(markers).toHaveBeenCalledTimes(2);
      stop();
      await change({ mine: { a: ['x'] } }, 3);
      expect(markers).toHaveBeenCalledTimes(2);
    });

    it('have the series of a plugin whose tab was never opened, and are asked for again with these', async () => {
      vi.useFakeTimers();
      const series = {
        tags: ['t'],
        sets: [[0]],
        set_of: [0],
        columns: { attempts: 1, claims: { values: [[]], of: 0 } },
      };
      const answer = { generation: 1, boot: 'one', since: null, gone: {}, runs: ['a'], ...series };
      vi.stubGlobal('fetch', async () => Response.json(answer));
      await load({
        front: give({}),
        mine: give({ markers: (_, ctx) => (ctx.tags.value?.runs ?? []).map(mark) }),
      });
      expect(page.front.value?.name).toBe('front');
      const show = vi.fn<(markers: readonly Marker[]) => void>();
      const stop = all.shownIn(shower).markers(chart, show);
      await vi.advanceTimersByTimeAsync(5000);
      expect(show.mock.lastCall?.[0].map(({ text }) => text)).toEqual(['a']);
      stop();
      vi.unstubAllGlobals();
    });

    it('of a plugin that goes go at once, and those of others stay while they are asked for again', async () => {
      const answers = vi.fn<() => Marker[] | Promise<Marker[]>>(() => [mark('slow')]);
      await load({ slow: give({ markers: () => answers() }), gone: give({ markers: () => [mark('gone')] }) });
      const show = vi.fn<(markers: readonly Marker[]) => void>();
      all.shownIn(shower).markers(chart, show)();
      all.shownIn(shower).markers(chart, show);
      await vi.waitFor(() => expect(show.mock.lastCall?.[0]).toHaveLength(2));
      answers.mockReturnValue(new Promise(() => undefined));
      page.session.plugins.value = [tabOf('slow')];
      const after = vi.fn<(markers: readonly Marker[]) => void>();
      all.shownIn(shower).markers(chart, after);
      expect(after.mock.lastCall?.[0].map(({ text }) => text)).toEqual(['slow']);
    });

    it('that come late are not shown, and end the remark', async () => {
      vi.useFakeTimers();
      const late = later<Marker[]>();
      await load({ slow: give({ markers: () => late.promise }) });
      const show = vi.fn<(markers: readonly Marker[]) => void>();
      all.shownIn(shower).markers(chart, show);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(troubles('slow')).toHaveLength(1);
      late.resolve([mark('late')]);
      await vi.advanceTimersByTimeAsync(0);
      expect([troubles('slow'), show.mock.lastCall?.[0]]).toEqual([[], []]);
    });

    it('of no plugin are none', async () => {
      await load({ mine: give({}) });
      const show = vi.fn();
      all.shownIn(shower).markers(chart, show);
      expect(show).toHaveBeenCalledWith([]);
    });
  });

  describe('looks of run columns', () => {
    const column: RunColumn = { plugin: 'own', name: 'c', title: 'C', kind: 'number', group: '', values: { a: 1 } };

    it('are those of the plugin that has the column, else of the first that gives one', async () => {
      const looks = (title: string): Contributions =>
        give({ columns: ({ name }) => (name === 'c' ? { title } : null) });
      await load({ other: looks('other'), own: looks('own') });
      expect(all.lookOf(column)?.title).toBe('own');
      expect(all.lookOf({ ...column, plugin: 'third' })?.title).toBe('other');
      expect(all.lookOf({ ...column, name: 'd' })).toBeNull();
    });

    it('give nothing for a value for which they throw, and say so', async () => {
      const cell = (value: unknown): string => {
        if (value === 1) throw new Error('boom');
        return `<${value}>`;
      };
      await load({ own: give({ columns: () => ({ cell }) }) });
      const look = all.lookOf(column);
      expect([look?.cell(1, 'a'), look?.cell(2, 'a'), look?.order(2, 'a')]).toEqual([null, '<2>', null]);
      await vi.waitFor(() => expect(troubles('own')).toEqual(['The run column “C”: boom']));
    });

    it('that fail for every run alike are said once, not for each run', async () => {
      const order = (): number => {
        throw new Error('boom');
      };
      await load({ own: give({ columns: () => ({ order }) }) });
      const look = all.lookOf(column);
      for (let run = 0; run < 1000; run++) look?.order(run, `run ${run}`);
      expect(console.error).toHaveBeenCalledTimes(1);
    });

    it('have a text as their title, or are left out', async () => {
      await load({ own: give({ columns: () => ({ title: 3 as never }) }) });
      expect(all.lookOf(column)).toBeNull();
      await vi.waitFor(() => expect(troubles('own').join()).toContain('not as the plugin interface defines it'));
    });
  });

  it('get the errors of their own code that nobody caught', async () => {
    await load({ mine: give({}) });
    const error = new TypeError('later');
    const { href } = new URL('mine/contributions.js', document.baseURI);
    error.stack = `TypeError: later\n at draw (${href}:1:1)`;
    page.uncaught(error, '');
    await vi.waitFor(() => expect(troubles('mine')).toEqual(['contributions.js: later']));
  });
});
