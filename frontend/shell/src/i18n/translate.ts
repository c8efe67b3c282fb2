/** The page's own texts. Keys are typed by the English catalogue. */
import type { Locale } from '@insight-host/api';
import { page as en } from '../locales/en.json';
import { page as zh } from '../locales/zh-CN.json';

/** Keys of texts, without the plural forms of another. */
type Base<K extends string, All extends string = K> = K extends `${infer Stem}.one`
  ? Stem extends All
    ? never
    : K
  : K;
export type Key = Base<keyof typeof en>;
export type Values = Readonly<Record<string, string | number>>;
export type Translate = (key: Key, values?: Values) => string;

export const CATALOGUES: Readonly<Record<Locale, Readonly<Record<string, string>>>> = { en, 'zh-CN': zh };

/** `{name}` stands for a value; numbers are written as the locale writes them. */
export function fill(text: string, values: Values | undefined, locale: string): string {
  if (!values) return text;
  return text.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = values[name];
    if (value === undefined) return hole;
    return typeof value === 'number' ? toolsOf(locale).number.format(value) : value;
  });
}

interface Tools {
  readonly plural: Intl.PluralRules;
  readonly number: Intl.NumberFormat;
}
const tools = new Map<string, Tools>();

/** The tools of a locale: to make one takes longer than to use it a hundred times. */
function toolsOf(locale: string): Tools {
  let found = tools.get(locale);
  if (!found)
    tools.set(locale, (found = { plural: new Intl.PluralRules(locale), number: new Intl.NumberFormat(locale) }));
  return found;
}

/** The text of a key; with a number `count`, that of `key.one`, `key.few`, … where the language has one. */
function textOf(
  catalogue: Readonly<Record<string, string>> | undefined,
  key: string,
  values: Values | undefined,
  language: string,
): string | undefined {
  const count = values?.['count'];
  if (!catalogue || typeof count !== 'number') return catalogue?.[key];
  return catalogue[`${key}.${toolsOf(language).plural.select(count)}`] ?? catalogue[key];
}

export function translator(locale: Locale): Translate {
  return (key, values) => pluginText(CATALOGUES, locale, key, values);
}

/** Looks up texts that come with code which is loaded later; keys are typed by the English catalogue. */
export function lateTexts<English extends Readonly<Record<string, string>>>(messages: {
  readonly en: English;
  readonly 'zh-CN': Readonly<Record<Base<keyof English & string>, string>>;
}) {
  return (page: Localized, key: Base<keyof English & string>, values?: Values): string =>
    pluginText(messages, page.preferences.locale.value, key, values);
}

interface Localized {
  readonly preferences: { readonly locale: { readonly value: Locale } };
}

/** A text of the page or of a plugin: of the catalogue of the locale, else of the English one, else the key itself. */
export function pluginText(
  messages: Readonly<Record<string, Readonly<Record<string, string>>>>,
  locale: Locale,
  key: string,
  values?: Values,
): string {
  return fill(
    textOf(messages[locale], key, values, locale) ?? textOf(messages['en'], key, values, 'en') ?? key,
    values,
    locale,
  );
}
