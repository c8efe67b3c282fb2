import { bytesText, type Page } from '@insight-host/kit';
import { STORED_ROLES, type Stored } from './answers';

/** Numbers of stored values, a row for each role; of a `whole` graph also what it does not tell. */
export function storedRows(
  page: Pick<Page, 't' | 'locale'>,
  stored: Stored,
  whole = false,
): readonly (readonly [role: string, text: string])[] {
  const locale = page.locale.value;
  const untold = stored.parameter ?? stored.unknown;
  const missing: Partial<Record<keyof Stored, unknown>> = whole
    ? { trainable: untold, optimizer: untold ?? stored.trainable ?? stored.other }
    : {};
  return STORED_ROLES.map((role) => {
    const row = stored[role];
    if (!row) return [role, missing[role] ? page.t('stored.untold') : ''];
    const unsized = row.unsized > 0 && page.t('stored.unsized', { count: row.unsized });
    return [
      role,
      [
        row.tensors > row.unsized &&
          row.values.toLocaleString(locale) + (row.bytes > 0 ? ` (${bytesText(row.bytes, locale)})` : ''),
        unsized,
      ]
        .filter(Boolean)
        .join(' + '),
    ];
  });
}
