import { signal } from '@preact/signals';
import { API, type CardSpec, type PluginContext } from '@insight-host/api';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { panelWhenAsked } from '../loading';
import { Page } from '../state/page';
import { parseHash } from '../state/browser';
import { addressOf, codeOf, specOf } from '../contributed/all';
import { ownState, showCard } from './shown';

const row = (name: string) => ({ name, dialects: [], start_time: 1, loading: false, damage: 0 });
const load = (plugin: unknown) => () => Promise.resolve({ default: plugin });
const spec: CardSpec = { plugin: 'sample', card: 'a/loss', state: { runs: 'b', 'sample.smooth': '0.9' } };

describe('a card outside of its tab', () => {
  let page: Page;
  let host: HTMLElement;
  const ended = new AbortController();

  beforeEach(() => {
    localStorage.clear();
    page = new Page();
    page.preferences.setLocale('en');
    host = document.createElement('div');
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const loading_mechanism = { type: 'ES_MODULE', module_path: 'sample/index.js' };
    page.session.plugins.value = [{ name: 'sample', enabled: true, tab_name: 'Sample', loading_mechanism }];
    page.session.table.value = {
      generation: 1,
      progress: { bytes_read: 1, bytes_total: 1, loaded_once: true },
      notices: [],
      runs: [row('a'), row('b')],
    };
  });

  const show = (plugin: unknown, failed: (cause: unknown) => void = (cause) => expect(cause).toBeNull()): void =>
    void showCard(
      page,
      spec,
      { host, visible: signal(true), until: ended.signal, failed },
      ownState(page, spec.state),
      load(plugin),
    );

  it('has runs and settings of its own, and changes none of the page', async () => {
    let given: PluginContext | undefined;
    show({
      apiVersion: API,
      renderCard: (element: HTMLElement, ctx: PluginContext, card: string) => {
        element.textContent = card;
        given = ctx;
      },
    });
    await vi.waitFor(() => expect(host.textContent).toBe('a/loss'));
    const smooth = given?.url.state('smooth', { parse: Number, format: String });
    expect(smooth?.value).toBe(0.9);
    expect(given?.runs.selected.value.map(({ name }) => name)).toEqual(['b']);
    smooth?.set(0.5);
    given?.runs.select(['a']);
    expect([smooth?.value, given?.runs.selected.value.map(({ name }) => name)]).toEqual([0.5, ['a']]);
    expect([...page.url.all()]).toEqual([]);
    expect(page.runs.selected.value).toHaveLength(2);
  });

  it.each([
    ['the plugin has no cards', { apiVersion: API }, 'cannot show a card outside'],
    ['the card throws', { apiVersion: API, renderCard: () => Promise.reject(new Error('boom')) }, 'boom'],
  ])('fails alone, and leaves nothing behind, when %s', async (_, plugin, text) => {
    const failed = vi.fn();
    show(plugin, failed);
    await vi.waitFor(() => expect(String(failed.mock.calls[0]?.[0])).toContain(text));
    expect(host.childElementCount).toBe(0);
  });

  it('says after a while that it is not there yet, and no longer when it is', async () => {
    vi.useFakeTimers();
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    show({ apiVersion: API, renderCard: () => arrived });
    await vi.advanceTimersByTimeAsync(9_000);
    expect(host.textContent).toBe('');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(host.querySelector('[role=status]')?.textContent).toContain('a/loss');
    arrive();
    await vi.advanceTimersByTimeAsync(0);
    expect(host.querySelector('[role=status]')).toBeNull();
    vi.useRealTimers();
  });

  it('has the colours of runs that the page has, or those that it was kept with', async () => {
    const given: PluginContext[] = [];
    const colors = (): unknown[] => given.map(({ runs }) => runs.all.value.map(({ color }) => color)[0]);
    const plugin = { apiVersion: API, renderCard: (_: HTMLElement, ctx: PluginContext) => void given.push(ctx) };
    panelWhenAsked(page);
    const kept = specOf({ name: 'sample', ...ownState(page, { colors: 'a=112233' }) }, 'x');
    const place = {
      host,
      visible: signal(true),
      until: ended.signal,
      failed: (cause: unknown) => expect(cause).toBeNull(),
    };
    await showCard(page, spec, place, ownState(page, spec.state), load(plugin));
    await showCard(page, kept, place, ownState(page, kept.state), load(plugin));
    page.runs.looks.value = { byName: new Map([['a', { color: '#445566', dash: undefined }]]), scale: null };
    expect(colors()).toEqual(['#445566', '#112233']);
  });

  it('is found again by its address, with names that are markup', () => {
    const odd = { ...spec, card: '</iframe>&"' };
    const [, hash = ''] = addressOf(odd).split('#');
    expect(Object.fromEntries(parseHash(hash))).toEqual({ ...spec.state, tab: 'sample', embed: '</iframe>&"' });
    const template = document.createElement('template');
    template.innerHTML = codeOf(addressOf(odd), 'Card </iframe>"');
    expect(template.content.childElementCount).toBe(1);
    expect(template.content.querySelector('iframe')?.src).toBe(addressOf(odd));
  });

  it('keeps the outcome of a filter, which only the run list evaluates', async () => {
    page.runs.filterText.set('b');
    await vi.waitFor(() => expect(page.runs.selected.value).toHaveLength(1));
    expect(specOf({ name: 'sample', url: page.url, runs: page.runs }, 'x').state).toEqual({ runs: 'b' });
  });
});
