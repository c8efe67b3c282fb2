/** Texts for people: numbers, sizes, durations, errors; names without control characters and bidirectional marks. */
import { signal } from '@preact/signals';
import type { Locale } from '@insight-host/api';
import { Fragment, options, type VNode } from 'preact';

/** Formats a value with six significant digits. */
export function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '−Inf';
  const size = Math.abs(value);
  const text =
    size !== 0 && (size >= 1e7 || size < 1e-4)
      ? size
          .toExponential(5)
          .replace(/\.?0+e/, 'e')
          .replace('e+', 'e')
          .replace('e-', 'e−')
      : String(Number(size.toPrecision(Math.max(6, Math.ceil(Math.log10(size || 1)) + 1))));
  return value < 0 ? `−${text}` : text;
}

const UNITS: Readonly<Record<Locale, readonly string[]>> = {
  en: [' d', ' h', ' m', ' s', ' ms', ' µs'],
  'zh-CN': ['天', '时', '分', '秒', '毫秒', '微秒'],
};

/**
 * Seconds as people say them: `0.6 ms`, `33 ms`, `1.6 s`, `2 m 04 s`, `1 h 02 m`; a dash where they are not known. More
 * `digits` than two show more of them, from four on also a third unit.
 */
export function durationText(seconds: number, locale: Locale, digits = 2): string {
  if (!Number.isFinite(seconds)) return '–';
  const units = UNITS[locale];
  const sign = seconds < 0 ? '−' : '';
  const size = Math.abs(seconds);
  const below = size >= 0.9995 || !size ? 0 : size >= 1e-4 ? 1 : 2; // s, ms, µs
  const number = size * 1000 ** below;
  const short = Number(number.toFixed(Math.max(0, digits - (number >= 100 ? 3 : number >= 10 ? 2 : 1))));
  if (below || short < 60) return `${sign}${short}${units[3 + below]}`;
  const shown: string[] = [];
  let left = Math.round(size);
  for (const [at, unit] of [86400, 3600, 60, 1].entries()) {
    const part = Math.floor(left / unit);
    left %= unit;
    if (shown.length || part) shown.push(String(part).padStart(shown.length && 2, '0') + units[at]);
  }
  return sign + shown.slice(0, Math.max(2, digits - 1)).join(locale === 'en' ? ' ' : '');
}

/** Local date and time of seconds since the epoch: `2026-11-21 00:49:18`. */
export function timeText(seconds: number, locale: Locale): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return String(seconds);
  return date.toLocaleString(locale === 'en' ? 'sv-SE' : locale, { hourCycle: 'h23' });
}

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A size in bytes: `1.5 MB`. */
export function bytesText(bytes: number, locale: Locale): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < SIZES.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.5 ? 0 : 1;
  return (
    `${value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })} ` +
    `${SIZES[unit]}`
  );
}

/** What went wrong, for the user; errors of the host have a text in the user's language. */
export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The last failure, or none. Its text follows the language of the page, as that of an error of the host does. */
export class Problem {
  private readonly cause = signal<{ readonly error: unknown } | null>(null);

  get value(): string | null {
    const { value: cause } = this.cause;
    return cause && message(cause.error);
  }

  set(error: unknown): void {
    this.cause.value = { error };
  }

  clear(): void {
    this.cause.value = null;
  }
}

/** A tag as a file name that every system takes; `fallback` when nothing is left of it. */
export function fileName(tag: string, extension: string, fallback: string): string {
  const name = tag
    .replace(/[\u0000-\u001f\\/:*?"<>|]+/g, '_')
    .replace(/^[_. ]+|[_. ]+$/g, '')
    .slice(0, 120);
  return `${name || fallback}.${extension}`;
}

/** Elements whose text may have lines. */
const PROSE = /^(pre|p|div|dd|td|li|del|ins|style)$/;

/** `text` with such characters as escapes, as `insight-host inspect` prints them; with `lines`, line breaks stay. */
export function visibleText(text: string, lines?: boolean): string {
  return text.replace(/[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu, (letter) => {
    const line = '\t\n\r'.indexOf(letter);
    if (line >= 0) return lines ? letter : `\\${'tnr'[line]}`;
    const code = letter.charCodeAt(0).toString(16);
    return code.length < 3 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** Every text that Preact draws goes through `visibleText`; what is typed, and keys in `data-` attributes, stay. */
function showHidden({ type, props }: VNode<Record<string, unknown>>): void {
  if (typeof type !== 'string' && type !== Fragment) return;
  const shown = <T>(value: T, lines: boolean): T | string =>
    typeof value === 'string' ? visibleText(value, lines) : value;
  for (const name of ['title', 'aria-label', 'label']) if (props[name]) props[name] = shown(props[name], true);
  const { children } = props;
  const lines = PROSE.test(String(type));
  if (children)
    props['children'] = Array.isArray(children) ? children.map((child) => shown(child, lines)) : shown(children, lines);
}

const before = options.vnode;
options.vnode = (vnode) => {
  showHidden(vnode as VNode<Record<string, unknown>>);
  before?.(vnode);
};
