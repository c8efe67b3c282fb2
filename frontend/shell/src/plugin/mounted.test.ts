import { signal } from '@preact/signals';
import { API, type Plugin, type PluginContext } from '@insight-host/api';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Page } from '../state/page';
import type { Tab } from '../state/session';
import { commands } from '../views/palette';
import { MountedPlugin } from './mounted';

const tab: Tab = {
  name: 'sample',
  enabled: true,
  tab_name: 'Sample',
  loading_mechanism: { type: 'ES_MODULE', module_path: 'data/plugin/sample/static/index.js', api_version: 1 },
};
const modul = (plugin: unknown) => () => Promise.resolve({ default: plugin });

describe('a plugin in its tab', () => {
  let page: Page;
  let host: HTMLElement;
  const opened = (load: (url: string) => Promise<{ default?: unknown }>): MountedPlugin =>
    new MountedPlugin(page, tab, signal(true), load);
  const failureText = (plugin: MountedPlugin): string => String((plugin.failure.value as Error | null)?.message);

  beforeEach(() => {
    localStorage.clear();
    page = new Page();
    page.preferences.setLocale('en');
    host = document.createElement('div');
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });

  it.each([
    ['the module does not load', () => Promise.reject(new Error('404')), '404'],
    ['the default export is missing', () => Promise.resolve({}), 'mount function'],
    ['the version is another', modul({ apiVersion: 3, mount: () => undefined }), 'version 3'],
    [
      'mount throws',
      modul({
        apiVersion: API,
        mount: () => {
          throw new Error('boom');
        },
      }),
      'boom',
    ],
    [
      'mount rejects',
      modul({
        apiVersion: API,
        mount: async () => {
          throw new Error('later boom');
        },
      }),
      'later boom',
    ],
    [
      'it throws nothing at all',
      modul({
        apiVersion: API,
        mount: () => {
          throw undefined;
        },
      }),
      'without a reason',
    ],
  ])('fails alone when %s', async (_, load, text) => {
    const plugin = opened(load);
    host.textContent = 'half drawn';
    await plugin.mount(host);
    expect(plugin.state.value).toBe('failed');
    expect(failureText(plugin)).toContain(text);
    expect(host.textContent).toBe('');
  });

  it('is slow when its mount does not end in ten seconds, and no longer when it ends or is opened again', async () => {
    vi.useFakeTimers();
    try {
      const ends: (() => void)[] = [];
      const plugin = opened(
        modul({ apiVersion: API, mount: () => new Promise<void>((resolve) => void ends.push(resolve)) }),
      );
      void plugin.mount(host);
      await vi.advanceTimersByTimeAsync(9_900);
      expect(plugin.isSlow.value).toBe(false);
      await vi.advanceTimersByTimeAsync(200);
      expect([plugin.state.value, plugin.isSlow.value]).toEqual(['loading', true]);
      plugin.remount(host);
      expect(plugin.isSlow.value).toBe(false);
      ends[0]?.(); // too late: another one is under way
      await vi.advanceTimersByTimeAsync(10_100);
      expect([plugin.state.value, plugin.isSlow.value]).toEqual(['loading', true]);
      ends[1]?.();
      await vi.advanceTimersByTimeAsync(0);
      expect([plugin.state.value, plugin.isSlow.value]).toEqual(['mounted', false]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('leads to any other tab that can show one step, in the state that this tab has named', async () => {
    let ctx: PluginContext | null = null;
    const steps = {
      ...tab,
      name: 'theirs',
      tab_name: 'Theirs',
      step_state: { at: '{step}', of: '{run}', view: 'one' },
    };
    const idle = { ...steps, name: 'idle', enabled: false };
    page.session.plugins.value = [{ ...tab, step_state: { at: '{step}' } }, steps, idle];
    page.session.table.value = {
      generation: 1,
      progress: { bytes_read: 1, bytes_total: 1, loaded_once: true },
      notices: [],
      runs: [{ name: 'r', dialects: [], start_time: 1, loading: false, damage: 0 }],
    };
    await opened(modul({ apiVersion: API, mount: (_: HTMLElement, given: PluginContext) => void (ctx = given) })).mount(
      host,
    );
    const given = ctx as unknown as PluginContext;
    expect(given.stepTabs.value).toEqual([{ plugin: 'theirs', title: 'Theirs' }]);
    expect(given.openStep('idle', 7)).toBe(false);
    expect(page.front.value?.name).toBe('sample');
    expect(given.openStep('theirs', 1742)).toBe(true);
    expect(page.front.value?.name).toBe('theirs');
    expect(page.url.below('theirs.')).toEqual({ at: '1742', view: 'one' });
    expect(given.openStep('theirs', 1742, 'a;b')).toBe(true);
    expect(page.url.below('theirs.')).toEqual({ at: '1742', of: 'a%3Bb', view: 'one' });
    expect(given.cursor.value).toEqual({ step: 1742, pinned: true, from: 'sample' });
    expect(commands(page).map(({ label }) => label)).toContain('Theirs at step 1,742');
  });

  it('is a mode of one tab with the others of its group, unless it has failed', async () => {
    let ctx: PluginContext | null = null;
    const own = { ...tab, tab_group: 'group' };
    const other = { ...own, name: 'theirs', tab_name: 'Theirs' };
    const alone = { ...tab, name: 'alone', tab_name: 'Alone' };
    page.session.plugins.value = [own, alone, other];
    await opened(modul({ apiVersion: API, mount: (_: HTMLElement, given: PluginContext) => void (ctx = given) })).mount(
      host,
    );
    const given = ctx as unknown as PluginContext;
    const line = (): string[] => page.line.value.map(({ name }) => name);
    expect(line()).toEqual(['sample', 'alone']);
    expect(given.modes.value).toEqual([
      { plugin: 'sample', title: 'Sample' },
      { plugin: 'theirs', title: 'Theirs' },
    ]);
    expect(given.tabs.value).toEqual(['sample', 'alone', 'theirs']);
    given.open('theirs');
    expect(page.front.value?.name).toBe('theirs');
    page.turn(1);
    expect(page.front.value?.name).toBe('alone');
    page.session.plugins.value = [{ ...own, error: 'broken' }, alone, other];
    expect(line()).toEqual(['sample', 'alone', 'theirs']);
    expect(given.modes.value).toEqual([{ plugin: 'sample', title: 'Sample' }]);
  });

  it('gets changes of unknown series when the host restarts, even at the same generation', async () => {
    const seen: unknown[] = [];
    page.session.latest.value = { boot: 'one', generation: 4, runs: false, series: {} };
    const plugin = opened(
      modul({
        apiVersion: 2,
        mount: (_, ctx) => void ctx.changes.subscribe((changes) => seen.push(changes)),
      } satisfies Plugin),
    );
    await plugin.mount(host);
    page.session.latest.value = { boot: 'two', generation: 4, runs: true, series: null };
    page.session.latest.value = { boot: 'two', generation: 4, runs: false, series: { sample: {} }, annotations: 1 };
    expect(seen).toEqual([
      { generation: 4, series: null },
      { generation: 4, series: null },
    ]);
    plugin.end();
  });

  it('keeps what is drawn when a callback throws later, and names the reason', async () => {
    const locales: string[] = [];
    const plugin = opened(
      modul({
        apiVersion: API,
        mount: (into, ctx) => {
          into.textContent = 'drawn';
          ctx.locale.subscribe((locale) => {
            locales.push(locale);
            if (locale === 'zh-CN') throw new Error('no such catalogue');
          });
        },
      } satisfies Plugin),
    );
    await plugin.mount(host);
    page.preferences.setLocale('zh-CN');
    expect(failureText(plugin)).toBe('no such catalogue');
    expect(host.textContent).toBe('drawn');
    expect(plugin.state.value).toBe('mounted');
    expect(page.preferences.locale.value).toBe('zh-CN');
    expect(locales).toEqual(['en', 'zh-CN']);
  });

  it('ends everything of the first attempt when tried again, and asks for a fresh module', async () => {
    const urls: string[] = [];
    const contexts: PluginContext[] = [];
    const dispose = vi.fn();
    const seen = vi.fn();
    const plugin = opened((url) => {
      urls.push(url);
      return Promise.resolve({
        default: {
          apiVersion: API,
          mount: (_into: HTMLElement, ctx: PluginContext) => {
            contexts.push(ctx);
            ctx.shortcut('b', 'box', () => undefined);
            ctx.theme.subscribe((theme) => seen(theme.mode));
            return dispose;
          },
        },
      });
    });
    await plugin.mount(host);
    plugin.remount(host);
    await vi.waitFor(() => expect(contexts).toHaveLength(2));
    expect(dispose).toHaveBeenCalledTimes(1);
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(page.shortcuts.list.value.filter((shortcut) => shortcut.owner === 'sample')).toHaveLength(1);
    seen.mockClear();
    page.preferences.setTheme('dark');
    expect(seen).toHaveBeenCalledTimes(1);
    expect(urls[1]).toBe(`${urls[0]}?attempt=1`);
  });

  it('ends what the plugin began when the host takes its place away', async () => {
    const dispose = vi.fn();
    let ctx: PluginContext | undefined;
    const plugin = opened(
      modul({ apiVersion: API, mount: (_: HTMLElement, given: PluginContext) => ((ctx = given), dispose) }),
    );
    await plugin.mount(host);
    plugin.end();
    expect(dispose).toHaveBeenCalledTimes(1);
    expect(ctx?.signal.aborted).toBe(true);
  });

  it.each([
    ['its own module', 'data/plugin/sample/static/index.js', true],
    ['the kit, while it is in front', 'static/assets/kit-0123456789ab.js', true],
    [
      'the kit, called by the page',
      'static/assets/kit-0123456789ab.js:1:1)\n at app (http://x/static/assets/shell-0123456789ab.js',
      false,
    ],
    ['another module', 'data/plugin/other/static/index.js', false],
  ])('gets the errors that nobody caught in %s', async (_, file, isOwn) => {
    const plugin = opened(modul({ apiVersion: API, mount: () => undefined } satisfies Plugin));
    page.session.plugins.value = [tab];
    page.watchErrors(plugin);
    await plugin.mount(host);
    const error = new TypeError('later');
    error.stack = `TypeError: later\n at draw (${new URL(file, document.baseURI).href}:1:1)`;
    page.uncaught(error, '');
    expect(plugin.failure.value).toBe(isOwn ? error : null);
  });

  it('has state, memory and texts under its own name', async () => {
    let ctx: PluginContext | undefined;
    const messages = { en: { hello: 'Hello {name}', only: 'English' }, 'zh-CN': { hello: '你好 {name}' } };
    await opened(modul({ apiVersion: API, messages, mount: (_, given) => void (ctx = given) } satisfies Plugin)).mount(
      host,
    );
    const x = ctx?.url.state('x', {
      parse: (text) => text ?? 'step',
      format: (value) => (value === 'step' ? null : value),
    });
    x?.set('wall');
    expect(x?.value).toBe('wall');
    expect(page.url.get('sample.x')).toBe('wall');
    ctx?.memory.set('k', [1]);
    expect(ctx?.memory.get('k', [] as number[])).toEqual([1]);
    expect(localStorage.getItem('insight-host.sample.k')).toBe('[1]');
    expect(ctx?.t('hello', { name: '<b>' })).toBe('Hello <b>');
    page.preferences.setLocale('zh-CN');
    expect([ctx?.t('hello', { name: 'x' }), ctx?.t('only'), ctx?.t('absent')]).toEqual(['你好 x', 'English', 'absent']);
    expect(ctx?.data.href('/image', { run: ['a b', 'c'], none: null, at: 0 })).toMatch(
      /data\/plugin\/sample\/image\?run=a\+b&run=c&at=0$/,
    );
  });

  it('goes to another tab with its state, which Back undoes, and to no tab that is not there', async () => {
    let ctx: PluginContext | undefined;
    page.session.plugins.value = [tab, { ...tab, name: 'image' }];
    await opened(modul({ apiVersion: API, mount: (_, given) => void (ctx = given) } satisfies Plugin)).mount(host);
    page.url.set('image.link', '1');
    const pushed = vi.spyOn(history, 'pushState');
    expect(ctx?.tabs.value).toEqual(['sample', 'image']);
    expect(ctx?.open('absent', { step: '7' })).toBe(false);
    expect([page.url.get('absent.step'), page.front.value?.name]).toEqual([null, 'sample']);
    expect(ctx?.open('image', { step: '7', link: null })).toBe(true);
    expect([page.url.get('image.step'), page.url.get('image.link'), page.front.value?.name]).toEqual([
      '7',
      null,
      'image',
    ]);
    await Promise.resolve(); // the URL is written once per turn
    expect(pushed).toHaveBeenCalledTimes(1);
  });

  it('has what its keys do in the palette, each action once, in front or not, until it ends', async () => {
    const [run, leave] = [vi.fn(), vi.fn()];
    const shortcuts: readonly [string, string, () => void][] = [
      ['+', 'Tidy up', run],
      ['=', 'Tidy up', run],
      ['Escape', 'Leave', leave],
    ];
    page.session.plugins.value = [
      { ...tab, name: 'first' },
      { ...tab, titles: { 'zh-CN': '样例' } },
    ];
    const plugin = opened(
      modul({
        apiVersion: API,
        mount: (_, ctx) => shortcuts.forEach((shortcut) => ctx.shortcut(...shortcut)),
      } satisfies Plugin),
    );
    await plugin.mount(host);
    const listed = (label: string): ReturnType<typeof commands> =>
      commands(page).filter((command) => command.label === label);
    expect(listed('Leave')).toEqual([]);
    expect(listed('Tidy up').map(({ group }) => group)).toEqual(['Sample']);
    page.preferences.setLocale('zh-CN');
    expect(listed('Tidy up').map(({ group }) => group)).toEqual(['样例']);
    expect(page.front.value?.name).toBe('first');
    listed('Tidy up')[0]?.run();
    expect(page.front.value?.name).toBe('sample');
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(1));
    plugin.end();
    expect(listed('Tidy up')).toEqual([]);
  });

  it('hears of changes that concern it, and of no others', async () => {
    const seen: (number | null)[] = [];
    const plugin: Plugin = {
      apiVersion: API,
      mount: (_, ctx) =>
        void ctx.changes.subscribe((changes) =>
          seen.push(changes.series === null ? null : Object.keys(changes.series).length),
        ),
    };
    await opened(modul(plugin)).mount(host);
    page.session.latest.value = { generation: 2, runs: true, series: { other: { r: ['t'] } } };
    page.session.latest.value = { generation: 3, runs: false, series: { sample: { a: ['t'], b: ['t'] } } };
    page.session.latest.value = { generation: 4, runs: true, series: null };
    expect(seen).toEqual([null, 2, null]);
  });

  it('has the series of its plugin when it asks, and asks for news only while it is in front', async () => {
    const fetched: string[] = [];
    const series = {
      tags: ['loss'],
      sets: [[0]],
      set_of: [0],
      columns: { attempts: 1, claims: { values: [[]], of: 0 } },
    };
    vi.stubGlobal('fetch', async (url: string) => {
      fetched.push(new URL(url).search);
      return Response.json({ generation: 1, boot: 'one', since: null, gone: {}, runs: ['a'], ...series });
    });
    const visible = signal(true);
    let ctx: PluginContext | undefined;
    const plugin = new MountedPlugin(
      page,
      tab,
      visible,
      modul({ apiVersion: API, mount: (_: unknown, given: PluginContext) => void (ctx = given) }),
    );
    await plugin.mount(host);
    expect(fetched).toEqual([]);
    const seen: (readonly string[])[] = [];
    const stop = ctx?.tags.subscribe((table) => seen.push(table?.tagsOf('a') ?? []));
    await vi.waitFor(() => expect(seen).toEqual([[], ['loss']]));
    visible.value = false;
    page.session.latest.value = { generation: 2, runs: true, series: null };
    ctx?.tags.refresh();
    expect(fetched).toEqual(['?plugin=sample']);
    visible.value = true;
    await vi.waitFor(() => expect(fetched).toEqual(['?plugin=sample', '?plugin=sample&since=one-1']));
    stop?.();
    plugin.end();
    page.session.latest.value = { generation: 3, runs: true, series: null };
    expect(fetched).toHaveLength(2);
    expect(page.tags.of('sample').table.value?.runs).toEqual(['a']); // the page keeps them for the next who asks
    vi.unstubAllGlobals();
  });
});
