import { signal } from '@preact/signals';
import type { PluginContext } from '@insight-host/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Page } from '../state/page';
import type { Shower } from '../state/late';
import type { AllContributions } from './all';
import { give, loaded, type Modules } from './testing';

describe('cards that plugins contribute', () => {
  const host = document.createElement('div');
  const ended = new AbortController();
  let page: Page;
  let all: AllContributions;
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
    shower = { name: 'scalar', visible: signal(true), signal: ended.signal, url, runs };
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('stand in the tabs that they name, and in Scalars without a name', async () => {
    const card = (id: string, tabs?: readonly string[]) => ({
      id,
      title: 'card',
      mount: (): void => undefined,
      ...(tabs && { tabs }),
    });
    const cards = [card('a'), card('b', ['image', 'histogram']), card('c', ['scalar', 'image']), card('d', [])];
    await load({ mine: give({ cards }) });
    const shownIn = (name: string): readonly string[] =>
      all.shownIn({ ...shower, name }).cards.map(({ id }) => id.split('#')[1] as string);
    expect(['scalar', 'image', 'histogram', 'other'].map((name) => shownIn(name).join())).toEqual([
      'a,c',
      'b,c',
      'b',
      '',
    ]);
  });

  it('are left out if their tabs are not a list of names, and the plugin gets an error', async () => {
    const card = { id: 'a', title: 'card', tabs: 'image' as never, mount: (): void => undefined };
    await load({ mine: give({ cards: [card] }) });
    expect(all.shownIn({ ...shower, name: 'image' }).cards).toEqual([]);
    await vi.waitFor(() => expect(troubles('mine').join()).toContain('not as the plugin interface defines it'));
  });

  it('come in their order, with titles in the language of the page', async () => {
    const mount = (): void => undefined;
    await load({
      one: give({
        cards: [
          { id: 'a', title: 'card', order: 2, mount },
          { id: 'b', title: 'card', mount },
        ],
      }),
      two: give({ cards: [{ id: 'a', title: 'tidy', order: 1, mount }] }),
    });
    const shown = all.shownIn(shower).cards;
    expect(shown.map(({ id, title }) => [id.split('/').slice(-2).join('/'), title])).toEqual([
      ['one/contributions.js#b', 'A card'],
      ['two/contributions.js#a', 'Tidy up'],
      ['one/contributions.js#a', 'A card'],
    ]);
  });

  it('with an id that another card has are left out, and the plugin gets an error', async () => {
    const card = (order: number) => ({ id: 'a', title: 'card', order, mount: (): void => undefined });
    await load({ mine: give({ cards: [card(1), card(2)] }), other: give({ cards: [card(3)] }) });
    const shown = all.shownIn(shower).cards;
    expect(shown.map(({ plugin }) => plugin)).toEqual(['mine', 'other']);
    const line = 'The card “card”: another card of the plugin has the id “a”; only the first is shown';
    await vi.waitFor(() => expect(troubles('mine')).toEqual([line]));
  });

  it('know whether they are visible, and end when their place is removed', async () => {
    const gone = vi.fn();
    let ctx: PluginContext | undefined;
    const mount = (element: HTMLElement, given: PluginContext): (() => void) => {
      ctx = given;
      element.textContent = 'there';
      return gone;
    };
    await load({ mine: give({ cards: [{ id: 'a', title: 'card', mount }] }) });
    const end = all.shownIn(shower).cards[0]?.mount(host, vi.fn());
    expect([ctx?.name, ctx?.visible.value, host.textContent]).toEqual(['mine', true, 'there']);
    const styled = host.querySelector('[data-plugin=mine]');
    expect(styled?.textContent, 'styles of the plugin apply there').toBe('there');
    await Promise.resolve();
    end?.();
    expect([ctx?.signal.aborted, host.textContent]).toEqual([true, '']);
    expect(gone).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['en', 'The card “A card”: no answer after 10 s'],
    ['zh-CN', '卡片“A card”：10 秒后仍无响应'],
  ] as const)('whose mount does not end say so in %s after ten seconds, until it ends', async (language, line) => {
    page.preferences.setLocale(language);
    vi.useFakeTimers();
    let end: () => void = () => undefined;
    const mount = (): Promise<void> => new Promise((resolve) => (end = resolve));
    await load({ mine: give({ cards: [{ id: 'a', title: 'card', mount }] }) });
    const stop = all.shownIn(shower).cards[0]?.mount(host, vi.fn());
    await vi.advanceTimersByTimeAsync(9_900);
    expect([host.textContent, troubles('mine')]).toEqual(['', []]);
    await vi.advanceTimersByTimeAsync(200);
    expect([host.textContent, troubles('mine')]).toEqual([line, [line]]);
    end();
    await vi.advanceTimersByTimeAsync(0);
    expect([host.textContent, troubles('mine')]).toEqual(['', []]);
    stop?.();
    const leave = all.shownIn(shower).cards[0]?.mount(host, vi.fn());
    await vi.advanceTimersByTimeAsync(10_100);
    expect(troubles('mine')).toEqual([line]);
    leave?.(); // nobody waits for it any more
    expect([host.textContent, troubles('mine')]).toEqual(['', []]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
    [
      'throws in a callback',
      (_: HTMLElement, ctx: PluginContext) =>
        void ctx.theme.subscribe(() => {
          throw new Error('boom');
        }),
    ],
  ])('say so, and leave nothing behind, when one %s', async (_, mount) => {
    await load({ mine: give({ cards: [{ id: 'a', title: 'card', mount }] }) });
    const failed = vi.fn();
    all.shownIn(shower).cards[0]?.mount(host, failed);
    await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(1));
    expect([String(failed.mock.lastCall?.[0]), host.childElementCount]).toEqual(['Error: boom', 0]);
    await vi.waitFor(() => expect(troubles('mine')).toEqual(['The card “A card”: boom']));
  });
});
