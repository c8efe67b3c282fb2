/** Loads the columns of the run list: when the URL names some, or the user asks for them. */
import { effect } from '@preact/signals';
import { message } from '@insight-host/kit';
import type { Page } from '../state/page';

export function loadColumns(page: Page): void {
  if (page.columns.peek()) return;
  import('./column_views').then(
    (views) => (page.columns.value ??= views.columnView(page)),
    (cause: unknown) => page.toasts.show('error', message(cause)),
  );
}

export function columnsWhenShown(page: Page): void {
  const chosen = page.url.text('columns');
  effect(() => {
    if (chosen.value && page.isShown.value) loadColumns(page);
  });
}
