import { bytesText, type Page } from '@insight-host/kit';
import { STORED_ROLES, type Stored, type StoredRole } from './answers';

/** Roles of the weights of a layer. */
const OF_LAYERS: ReadonlySet<StoredRole> = new Set<StoredRole>(['trainable', 'other', 'parameter']);

/** Numbers of stored values, a row for each role; of a `whole` graph also what it does not tell. Weights of `layers`
 * have no size where the layers were not built. */
export function storedRows(
  page: Pick<Page, 't' | 'locale'>,
  stored: Stored,
  { whole = false, layers = false } = {},
): readonly (readonly [role: string, text: string])[] {
  const locale = page.locale.value;
  const untold = stored.parameter ?? stored.unknown;
  const missing: Partial<Record<keyof Stored, unknown>> = whole
    ? { trainable: untold, optimizer: untold ?? stored.trainable ?? stored.other }
    : {};
  return STORED_ROLES.map((role) => {
    const row = stored[role];
    if (!row) return [role, missing[role] ? page.t('stored.untold') : ''];
    const unsized =
      row.unsized > 0 &&
      (layers && OF_LAYERS.has(role)
        ? page.t('stored.unsized_layers', { count: row.unsized_nodes })
        : page.t('stored.unsized', { count: row.unsized }));
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
