/** Numbers, types, kinds of nodes and weights for people. */
import type { Locale } from '@insight-host/api';
import { bytesText, durationText, type Page } from '@insight-host/kit';
import type { JSX } from 'preact';
import { STORED_ROLES, type NodeKind, type Notice, type OutputType, type Stored, type StoredRole } from './answers';

/** `float32[32, ?, 14]`; without a known shape the type alone. */
export function shapeText({ dtype, shape }: { readonly dtype: string; readonly shape: OutputType['shape'] }): string {
  return `${dtype}${shape ? `[${shape.map((size) => (size < 0 ? '?' : String(size))).join(', ')}]` : ''}`;
}

/** Microseconds: `12.3 µs`, `4.56 ms`. */
export const timeOf = (microseconds: number, locale: Locale): string => durationText(microseconds / 1e6, locale, 3);

/** What a notice says in the language of the page; one that the page does not know, as it is. */
export function noticeText({ t }: Pick<Page, 't'>, { code, values, text }: Notice): string {
  const key = `notice.${code}`;
  const said = t(key, values);
  return said === key || /\{\w+\}/.test(said) ? text : said;
}

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

/** The outline that a kind of node has in the drawing, in small. */
export function KindMark({ kind }: { readonly kind: NodeKind | 'proxy' }): JSX.Element {
  return <i class={`kind ${kind}`} />;
}
