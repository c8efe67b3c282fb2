/** Loads how runs look: when the URL says more than the default, or the user asks for it. */
import { message } from '@insight-host/kit';
import { effect, untracked } from '@preact/signals';
import { LOOK_KEYS } from '../state/hash';
import type { Page } from '../state/page';
import type { ColoringView } from './view';

export async function loadColoring(page: Page): Promise<ColoringView | null> {
  page.columnsWanted.value = true; // their values may be what runs are coloured by
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

/** At once: the first picture has these colours. */
export function coloringWhenAsked(page: Page): void {
  page.loadColoring = () => loadColoring(page);
  effect(() => {
    if (LOOK_KEYS.some((key) => page.url.text(key).value !== null)) untracked(() => void loadColoring(page));
  });
}
