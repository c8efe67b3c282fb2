/** What the page does for plugins by their context: saved entries, requests that write, files for the user, icons. */
import { type ReadonlySignal as Signal, signal } from '@preact/signals';
import type { ReadonlySignal, Saved, SavedEntry } from '@insight-host/api';
import { Icon, type IconName } from '@insight-host/kit';
import { h, render } from 'preact';
import { jsonOf } from '../data/http';
import type { Page } from '../state/page';
import type { SavedEntries } from '../state/saved';

/** `ctx.saved`: asks the host, with code that is loaded then, once the tab uses it. */
export function savedOf(
  page: Page,
  plugin: string,
  wrap: <T>(source: Signal<T>) => ReadonlySignal<T>,
  endWith: (dispose: () => void) => unknown,
): Saved {
  const entries = signal<readonly SavedEntry[] | null>(null);
  const writable = signal(false);
  let loading: Promise<SavedEntries> | undefined;
  const asked = (): Promise<SavedEntries> =>
    (loading ??= import('../state/saved').then(
      (module) => {
        const saved = new module.SavedEntries(page, `plugin/${encodeURIComponent(plugin)}`, entries, writable);
        endWith(saved.follow());
        return saved;
      },
      (cause: unknown) => {
        loading = undefined; // the host may come back
        throw cause;
      },
    ));
  const asking = <T>(source: Signal<T>): ReadonlySignal<T> => {
    const wrapped = wrap(source);
    return {
      get value() {
        return wrapped.value;
      },
      subscribe(listener) {
        asked().catch(() => null);
        return wrapped.subscribe(listener);
      },
    };
  };
  return {
    entries: asking(entries),
    writable: asking(writable),
    list: async () => (await asked()).refresh(),
    get: async (name) => (await asked()).get(name),
    set: async (name, value, version) => (await asked()).set(name, value, version),
    remove: async (name, version) => (await asked()).remove(name, version),
  };
}

/** Sends `body` as JSON with the token of the host; what is answered, null if that has no body. */
export async function posted<T>(page: Page, url: string, body: unknown, signal: AbortSignal): Promise<T> {
  const sent =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const response = await page.session.annotations.sendTo(url, { method: 'POST', signal, ...sent });
  const isEmpty = (await response.clone().text()) === '';
  return isEmpty ? (null as T) : jsonOf(response, url, signal);
}

/** Characters that no common file system takes become `_`. */
export function fileName(name: string): string {
  return name.replace(/[\u0000-\u001f<>:"/\\|?*]+/g, '_').slice(0, 200) || 'download';
}

/** Saves a file on the user's machine. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  const url = URL.createObjectURL(content);
  link.href = url;
  link.download = fileName(name);
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** An icon of the kit as an element, for plugins without Preact. */
export function icon(name: string): SVGSVGElement {
  const place = document.createElement('span');
  render(h(Icon, { name: name as IconName }), place);
  return place.firstElementChild as SVGSVGElement;
}
