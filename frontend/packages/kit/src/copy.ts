import type { TabState } from './tab_state';

/** Copies a table with its header to the clipboard as tab-separated lines, and shows a toast. */
export async function copyTable(board: TabState, rows: readonly (readonly (string | number)[])[]): Promise<void> {
  const text = rows.map((row) => row.map((cell) => String(cell).replace(/[\t\r\n]+/g, ' ')).join('\t')).join('\n');
  try {
    await navigator.clipboard.writeText(text);
    board.ctx.notify('info', board.t('copied', { count: rows.length - 1 }));
  } catch {
    board.ctx.notify('error', board.t('copy_failed'));
  }
}
