/** Why something failed, in the user's language. The server's own texts are English. */
import { signal } from '@preact/signals';
import type { Locale, Messages, Reason } from '@insight-host/api';
import { CATALOGUES, fill, type Values } from './translate';

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
