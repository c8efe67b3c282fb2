/** Which runs and tags an opened view names that these logs do not have any more. */
import { computed, type ReadonlySignal } from '@preact/signals';
import type { Page } from '../state/page';
import type { StartView } from '../state/start_view';

export class GoneNames {
  /** Empty while the host still loads. Tags of a tab are looked up once the tab was opened. */
  readonly names: ReadonlySignal<readonly string[]>;

  constructor(page: Page, opened: ReadonlySignal<StartView | null>) {
    let before: readonly string[] = [];
    const runs = computed(() => new Set(page.runs.all.value.map(({ name }) => name)));
    this.names = computed(() => {
      if (!opened.value || page.session.table.value?.progress.loaded_once !== true) return [];
      const gone = new Set<string>();
      for (const [key, text] of Object.entries(opened.value.state)) {
        const [plugin = ''] = key.split('.');
        const known = key.includes('.') ? page.tags.known(plugin) : null; // also when nothing was asked of the tab yet
        const named = page.url.named(key, text);
        const tags = known && named?.tags ? new Set(known) : null;
        for (const run of named?.runs ?? []) if (!runs.value.has(run)) gone.add(run);
        for (const tag of named?.tags ?? []) if (tags && !tags.has(tag)) gone.add(tag);
      }
      const after = [...gone].sort();
      if (after.join('\n') !== before.join('\n')) before = after; // the same list says nothing new
      return before;
    });
  }
}
