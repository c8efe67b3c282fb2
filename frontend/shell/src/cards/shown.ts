/** Shows one card of a plugin outside of its tab; loaded when the first one is shown. */
import { API, type CardSpec, type Plugin } from '@insight-host/api';
import { pluginContext } from '../plugin/context';
import { disposeWith, importModule, type LoadModule, whenSlow } from '../plugin/mounted';
import { LOOK_KEYS } from '../state/browser';
import type { CardPlace } from '../state/late';
import type { Page } from '../state/page';
import { Runs } from '../state/runs';
import type { Tab } from '../state/session';
import { ViewUrl } from '../state/url';
import { lateTexts } from '../i18n/texts';
import { cards as en } from '../locales/en.json';
import { cards as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });

/** The runs and settings of a card that has its own. */
interface OwnState {
  readonly url?: ViewUrl;
  readonly runs?: Runs;
}

/** They begin with these keys and texts. Its runs look as those of the page, unless the keys say how. */
export function ownState(page: Page, state: Readonly<Record<string, string>>): Required<OwnState> {
  const url = new ViewUrl({ hash: () => '', write: () => undefined, onMove: () => undefined });
  url.replaceAll(new Map(Object.entries(state)));
  const { session, preferences } = page;
  const looks = LOOK_KEYS.some((key) => key in state) ? undefined : page.runs.looks;
  return { url, runs: new Runs(session.table, session.annotations, preferences.mode, url, looks) };
}

type PluginWithCards = Plugin & Required<Pick<Plugin, 'renderCard'>>;

/** A card with the state of the page, or its own. Resolves when it is there, or has failed. */
export async function showCard(
  page: Page,
  { plugin: name, card }: Pick<CardSpec, 'plugin' | 'card'>,
  { host, visible, until, failed }: CardPlace,
  own: OwnState = {},
  load: LoadModule = importModule,
): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([until, ended.signal]);
  const fail = (cause: unknown): void => {
    if (signal.aborted || (cause instanceof DOMException && cause.name === 'AbortError')) return;
    console.error(cause);
    ended.abort();
    failed(cause);
  };
  const inside = host.appendChild(document.createElement('div'));
  inside.dataset['plugin'] = name; // its styles apply here, those of what is around it do not
  inside.style.height = '100%';
  disposeWith(signal, () => inside.remove());
  const waiting = new AbortController();
  sayWhenSlow(page, host, card, AbortSignal.any([signal, waiting.signal]));
  try {
    const tab = page.session.plugins.peek()?.find((one) => one.name === name);
    const [plugin] = await Promise.all([pluginOf(page, name, tab, load), colored(page, own, signal)]);
    if (signal.aborted) return;
    const context = pluginContext(page, {
      messages: plugin.messages ?? {},
      name,
      signal,
      visible,
      onError: fail,
      ...own,
    });
    disposeWith(signal, await plugin.renderCard(inside, context, card));
    waiting.abort();
  } catch (cause) {
    fail(cause);
  }
}

/** Says that a card is not there yet, until the signal ends it. */
function sayWhenSlow(page: Page, host: HTMLElement, card: string, end: AbortSignal): void {
  const text = document.createElement('p');
  text.className = 'ih-muted';
  text.setAttribute('role', 'status');
  whenSlow(end, () => {
    text.textContent = words(page, 'slow', { card });
    host.prepend(text);
  });
  disposeWith(end, () => text.remove());
}

/** Gives a card with its own state the colours and dashes of that state. */
async function colored(page: Page, { url, runs }: OwnState, signal: AbortSignal): Promise<void> {
  if (!url || !runs || runs.looks === page.runs.looks) return;
  const view = await page.loadPanel();
  if (signal.aborted || !view) return;
  const coloring = view.apart({ url, runs });
  disposeWith(signal, coloring.end);
  const shown = [...coloring.by.value, ...coloring.dashBy.value, ...runs.groupBy.value];
  const used = shown.filter((key) => key.includes('/') && !key.startsWith('name~'));
  if (used.length === 0) return;
  page.columnsOfOthers.value = [...new Set([...page.columnsOfOthers.peek(), ...used])];
}

async function pluginOf(page: Page, name: string, tab: Tab | undefined, load: LoadModule): Promise<PluginWithCards> {
  const path = tab?.loading_mechanism.type === 'ES_MODULE' ? tab.loading_mechanism.module_path : undefined;
  if (!tab || tab.error || path === undefined) throw new Error(tab?.error ?? words(page, 'missing', { plugin: name }));
  const { default: plugin } = (await load(new URL(path, document.baseURI).href)) as {
    readonly default?: Partial<Plugin>;
  };
  if (plugin?.apiVersion !== API || typeof plugin.renderCard !== 'function')
    throw new Error(words(page, 'none', { plugin: page.tabTitle(tab) }));
  return plugin as PluginWithCards;
}
