import type { PluginContext } from '@insight-host/api';
import type { Page } from './page';

/**
 * Copies a table with its header to the clipboard as tab-separated lines, and reports how many of `all` rows those are.
 */
export async function copyTable(
  page: Pick<Page, 't'> & { readonly ctx: Pick<PluginContext, 'notify'> },
  rows: readonly (readonly (string | number | bigint | boolean | null)[])[],
  all = rows.length - 1,
): Promise<void> {
  const text = rows
    .map((row) => row.map((cell) => String(cell ?? '').replace(/[\t\r\n]+/g, ' ')).join('\t'))
    .join('\n');
  try {
    await navigator.clipboard.writeText(text);
    const count = rows.length - 1;
    if (count < all) page.ctx.notify('warn', page.t('copied.rows.some', { count, all }));
    else page.ctx.notify('info', page.t('copied', { count }));
  } catch {
    page.ctx.notify('error', page.t('copy_failed'));
  }
}
