/**
 * Loads the columns of the run table: when the URL asks for the table or an order by columns, or something needs them.
 */
import { effect } from '@preact/signals';
import { message } from '@insight-host/kit';
import { isExpression } from '@insight-host/kit/lab';
import type { Page } from '../state/page';

export function loadColumns(page: Page): void {
  if (page.columns.peek()) return;
  import('./run_table').then(
    (table) => (page.columns.value ??= table.columnView(page)),
    (cause: unknown) => page.toasts.show('error', message(cause)),
  );
}

export function columnsWhenShown(page: Page): void {
  let follows = false;
  effect(() => {
    if (follows || !isExpression(page.runs.filterText.value)) return;
    follows = true; // the charts wait for what it matches: at once
    import('./matches').then(
      ({ followExpression }) => followExpression(page),
      (cause: unknown) => {
        follows = false; // the host is away: with the next expression again
        page.toasts.show('error', message(cause));
      },
    );
  });
  effect(() => {
    const isSorted = page.runs.sort.value.some((key) => key !== 'time' && key !== 'name');
    const isWrong = page.runs.filter.value.isExpression && page.runs.filter.value.error !== null;
    const isListed = (page.tableOpen.value || isSorted || isWrong) && page.isShown.value;
    if (isListed || page.columnsWanted.value) loadColumns(page);
  });
}
