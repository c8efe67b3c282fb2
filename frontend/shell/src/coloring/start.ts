/** Loads the colouring of runs when the URL has one of its settings, or the user asks for it. */
import { message } from '@insight-host/kit';
import { effect, untracked } from '@preact/signals';
import { LOOK_KEYS } from '../state/hash';
import type { Page } from '../state/page';
import type { ColoringView } from './view';

export async function loadColoring(page: Page): Promise<ColoringView | null> {
  page.columnsWanted.value = true; // runs may be coloured by values of columns
  try {
    const { coloringView } = await import('./view');
    return untracked(() => (page.coloring.value ??= coloringView(page)));
  } catch (cause) {
    page.toasts.show('error', message(cause));
    return null;
  }
}

/** Lets the user pick the colour of a run, next to an element. */
export function pickColor(page: Page, run: string, beside: Element): void {
  void loadColoring(page).then((view) => view?.pick(run, beside));
}

/**
 * Loads the colouring immediately if the URL has settings of it, so that charts are not drawn in other colours first.
 */
export function coloringWhenAsked(page: Page): void {
  page.loadColoring = () => loadColoring(page);
  effect(() => {
    if (LOOK_KEYS.some((key) => page.url.text(key).value !== null)) untracked(() => void loadColoring(page));
  });
}
