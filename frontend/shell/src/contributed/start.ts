/** Loads what plugins contribute, once the page is idle and has shown the tab in front. */
import { effect, untracked } from '@preact/signals';
import type { Page } from '../state/page';
import { whenIdle } from '../when_idle';

export function contributeWhenIdle(page: Page): void {
  let begun = false;
  effect(() => {
    const wanted = page.session.plugins.value?.some((tab) => tab.loading_mechanism.contributions_path !== undefined);
    if (begun || !wanted || !page.isShown.value) return;
    begun = true;
    whenIdle(() => {
      import('./all').then(
        (loaded) => untracked(() => (page.contributions.value = new loaded.AllContributions(page))),
        (cause: unknown) => {
          begun = false; // the host is away: with the next listing of plugins again
          console.error(cause);
        },
      );
    });
  });
}
