/** Loads what the run panel needs beyond its list: when the URL has one of its settings, or it is used. */
import { message } from '@insight-host/kit';
import { effect, untracked } from '@preact/signals';
import { LOOK_KEYS } from '../state/hash';
import type { PanelView } from '../state/late';
import type { Page } from '../state/page';

const MANY = 30; // runs of which a card with two tags has more lines than it draws

export async function loadPanel(page: Page): Promise<PanelView | null> {
  page.columnsWanted.value = true; // runs may be coloured by values of columns
  try {
    const { panelView } = await import('./view');
    return untracked(() => (page.panel.value ??= panelView(page)));
  } catch (cause) {
    page.toasts.show('error', message(cause));
    return null;
  }
}

/**
 * Loads it immediately if the URL has settings of how runs look, so that charts are not drawn in other colours first;
 * else after the tab in front where runs are sorted by a column, or there are many.
 */
export function panelWhenAsked(page: Page): void {
  page.loadPanel = () => loadPanel(page);
  effect(() => {
    const { sort, all } = page.runs;
    const isSorted = sort.value.some((key) => /^[+-]/.test(key));
    const hasLook = LOOK_KEYS.some((key) => page.url.text(key).value !== null);
    const isUseful = page.isShown.value && (isSorted || all.value.length > MANY);
    if (hasLook || isUseful) untracked(() => void loadPanel(page));
  });
}
