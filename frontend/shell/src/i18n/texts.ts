/**
 * Texts for people: the page's own, those of code that is loaded later, and why something failed, of which the server's
 * own texts are English. Keys are typed by the English catalogue.
 */
import type { Locale, Messages, Reason } from '@insight-host/api';
import { signal } from '@preact/signals';
import { page as en } from '../locales/en.json';
import { page as zh } from '../locales/zh-CN.json';

/** Keys of texts, without the plural forms of another. */
type Base<K extends string, All extends string = K> = K extends `${infer Stem}.one`
  ? Stem extends All
    ? never
    : K
  : K;
type Key = Base<keyof typeof en>;
export type Values = Readonly<Record<string, string | number>>;
type Translate = (key: Key, values?: Values) => string;

const CATALOGUES: Readonly<Record<Locale, Readonly<Record<string, string>>>> = { en, 'zh-CN': zh };

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

/**
 * By `reason.<code>`, of codes that few answers have: loaded before such an answer is read, in a language that needs
 * them.
 */
const texts = signal<Readonly<Record<string, string>>>({});
let loading: Promise<void> | undefined;

/** Ends when `reasonText` knows all codes in this language, or cannot load them. */
export function reasonsIn(locale: string): Promise<void> | undefined {
  if (locale !== 'zh-CN') return undefined;
  loading ??= import('../locales/zh-CN.json').then(
    ({ reasons }) => void (texts.value = reasons),
    () => void (loading = undefined), // the host is away: with the next answer again
  );
  return loading;
}

/** The language of the page, as its `lang` has it: texts that are read from it follow it. */
export const shownLocale = signal('');

const isReason = (value: unknown): value is Reason =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Reason>).error === 'string';

function valueOf(value: unknown, locale: string, messages: Messages): string | number {
  if (isReason(value)) return reasonText(value, locale, messages);
  return typeof value === 'number' ? value : String(value);
}

/** The server's own text, with other words for the reasons in it where somebody has some. */
function withCauses({ error, details }: Reason, locale: string, messages: Messages): string {
  for (const cause of Object.values(details ?? {}).filter(isReason)) {
    const at = cause.error ? error.lastIndexOf(cause.error) : -1;
    if (at < 0) continue;
    error = error.slice(0, at) + reasonText(cause, locale, messages) + error.slice(at + cause.error.length);
  }
  return error;
}

const told = new Set<string>();

/** A text of a plugin. Those of the last release began with `error.`; they are used for one release more. */
function ownText(texts: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  const old = key.replace(/^reason/, 'error');
  const text = texts?.[key] ?? texts?.[old];
  if (text !== undefined && texts?.[key] === undefined && !told.has(old)) {
    told.add(old);
    console.warn(`The text "${old}" of a plugin is deprecated: call it "${key}"`);
  }
  return text;
}

/**
 * The text for the code of a reason, of `messages`, else of the page; the server's own if nobody has one, or a value is
 * missing.
 */
export function reasonText(reason: Reason, locale: string, messages: Messages = {}): string {
  const key = `reason.${reason.code ?? ''}`;
  const own = ownText(messages[locale], key) ?? ownText(messages['en'], key);
  const found = own ?? CATALOGUES[locale as Locale]?.[key] ?? (locale === 'zh-CN' ? texts.value[key] : undefined);
  if (found === undefined) return withCauses(reason, locale, messages);
  const given = { ...reason.details, text: reason.error };
  const values: Values = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, valueOf(value, locale, messages)]),
  );
  const wanted = [...found.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  return wanted.every((name) => Object.hasOwn(values, name)) ? fill(found, values, locale) : reason.error;
}
