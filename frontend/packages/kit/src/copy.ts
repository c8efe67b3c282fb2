import type { TabState } from './tab_state';

/**
 * Copies a table with its header to the clipboard as tab-separated lines, and reports how many of `all` rows those are.
 */
export async function copyTable(
  board: TabState,
  rows: readonly (readonly (string | number | bigint | boolean | null)[])[],
  all = rows.length - 1,
): Promise<void> {
  const text = rows
    .map((row) => row.map((cell) => String(cell ?? '').replace(/[\t\r\n]+/g, ' ')).join('\t'))
    .join('\n');
  try {
    await navigator.clipboard.writeText(text);
    const count = rows.length - 1;
    if (count < all) board.ctx.notify('warn', board.t('copied.rows.some', { count, all }));
    else board.ctx.notify('info', board.t('copied', { count }));
  } catch {
    board.ctx.notify('error', board.t('copy_failed'));
  }
}
