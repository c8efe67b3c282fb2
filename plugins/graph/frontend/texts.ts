/** Numbers and types for people. */
import type { Locale } from '@insight-host/api';
import { durationText, type Page } from '@insight-host/kit';
import type { Notice, OutputType } from './answers';

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
