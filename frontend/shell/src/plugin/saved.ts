/** `ctx.saved`: asks the host, with code that is loaded then, once the tab uses it. */
import { type ReadonlySignal as Signal, signal } from '@preact/signals';
import type { ReadonlySignal, Saved, SavedEntry } from '@insight-host/api';
import type { Page } from '../state/page';
import type { SavedEntries } from '../state/saved';

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
