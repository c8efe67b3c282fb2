/**
 * Runs in the head of the page, before any module: has the browser load the first tab beside the page, not after it.
 *
 * The host has written the module of each tab, and the shared modules that it imports, into the page.
 */
interface TabModules {
  readonly module: string;
  readonly imports: readonly string[];
}

function json<T>(selector: string): T {
  return JSON.parse(document.querySelector(selector)?.textContent || '{}') as T;
}

/** Addresses of what the tab that `hash` names needs, or the first tab. */
export function modulesOf(hash: string, tabs: Readonly<Record<string, TabModules>>, map: Readonly<Record<string, string>>): string[] {
  const named = new URLSearchParams(hash.slice(1)).get('tab') ?? '';
  const tab = tabs[named] ?? Object.values(tabs)[0];
  return tab ? [tab.module, ...tab.imports.flatMap((name) => map[name] ?? [])] : [];
}

export function boot(): void {
  const { imports = {} } = json<{ imports?: Record<string, string> }>('script[type=importmap]');
  for (const href of modulesOf(location.hash, json('#tabs'), imports)) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
  }
}
