/**
 * Runs in the head of the page, before any module: has the browser load the first tab, and the first answers of the
 * host, in parallel with the page, not after it.
 *
 * The host has written the module of each tab, and the shared modules that it imports, into the page.
 */
import { formatHash, startView, type StartView } from './state/browser';

declare global {
  /** The saved view with which the page began. */
  var insightView: StartView | undefined;
  /** Answers of `/data/start` by path; empty if there are none. */
  var insightStart: Promise<Record<string, unknown>> | undefined;
}

interface TabModules {
  readonly module: string;
  readonly imports: readonly string[];
}

type Tabs = Readonly<Record<string, TabModules>>;

function json<T>(selector: string): T {
  return JSON.parse(document.querySelector(selector)?.textContent || '{}') as T;
}

/** The tab that `hash` names, or the first one. */
export function tabOf(hash: string, tabs: Tabs): string {
  const named = new URLSearchParams(hash.slice(1)).get('tab') ?? '';
  return named in tabs ? named : (Object.keys(tabs)[0] ?? '');
}

/** Addresses of what a tab needs. */
export function modulesOf(tab: TabModules | undefined, map: Readonly<Record<string, string>>): string[] {
  return tab ? [tab.module, ...tab.imports.flatMap((name) => map[name] ?? [])] : [];
}

/** An empty hash is a choice of the user, too: it sets no key. */
function openView(): void {
  const view = location.href.includes('#') ? null : startView();
  if (!view) return;
  globalThis.insightView = view;
  const hash = formatHash(new Map(Object.entries(view.state))) || '#';
  history.replaceState(null, '', `${location.pathname}${location.search}${hash}`);
}

export function boot(): void {
  const { imports = {} } = json<{ imports?: Record<string, string> }>('script[type=importmap]');
  const tabs = json<Tabs>('#tabs');
  openView();
  const tab = tabOf(location.hash, tabs);
  globalThis.insightStart = fetch(`data/start?tab=${encodeURIComponent(tab)}`, { cache: 'no-cache' })
    .then(async (answer) => (answer.ok ? ((await answer.json()) as Record<string, unknown>) : {}))
    .catch(() => ({})); // each is asked for again, and tells of its own error
  for (const href of modulesOf(tabs[tab], imports)) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
  }
}
