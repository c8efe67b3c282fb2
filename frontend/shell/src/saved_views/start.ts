/** Loads the saved views: when the page has begun with one, or the user asks for them. */
import { message } from '@insight-host/kit';
import { effect, untracked } from '@preact/signals';
import type { Page } from '../state/page';
import { whenIdle } from '../when_idle';

export function loadViews(page: Page): void {
  if (page.views.peek()) return;
  import('./saved_views').then(
    (module) => untracked(() => (page.views.value ??= new module.SavedViews(page, globalThis.insightView))),
    (cause: unknown) => page.toasts.show('error', message(cause)),
  );
}

export function viewsWhenShown(page: Page): void {
  effect(() => {
    if (globalThis.insightView && page.isShown.value) whenIdle(() => loadViews(page));
  });
}
