/** Codecs of the keys of the view in the page's URL; default values are omitted. */
import type { Codec } from '@insight-host/api';
import type { XKind } from './numbers';

export function choice<T extends string>(values: readonly T[], fallback: T): Codec<T> {
  return {
    parse: (text) => values.find((v) => v === text) ?? fallback,
    format: (value) => (value === fallback ? null : value),
  };
}

export function flag(fallback: boolean): Codec<boolean> {
  return {
    parse: (text) => (text === '1' ? true : text === '0' ? false : fallback),
    format: (value) => (value === fallback ? null : value ? '1' : '0'),
  };
}

export const text: Codec<string> = { parse: (t) => t ?? '', format: (value) => value || null };

/** A number from `low` to `high`; anything else is the fallback. */
export function number(low: number, high: number, fallback: number): Codec<number> {
  return {
    parse(t) {
      const value = t ? Number(t) : NaN;
      return Number.isNaN(value) ? fallback : Math.max(low, Math.min(high, value));
    },
    format: (value) => (value === fallback || !Number.isFinite(value) ? null : String(Number(value.toPrecision(15)))),
  };
}

export function wholeNumber(low: number, high: number, fallback: number): Codec<number> {
  const any = number(low, high, fallback);
  return { parse: (t) => Math.round(any.parse(t)), format: (value) => any.format(Math.round(value)) };
}

export const xKind = choice<XKind>(['step', 'relative', 'wall'], 'step');
export const attempts = choice<'last' | 'all'>(['last', 'all'], 'last');

/**
 * A list of names, separated by `;`. Commas separate too, for links written by hand: those within names are escaped.
 */
export const names: Codec<readonly string[]> = {
  parse: (t) =>
    t
      ? t
          .split(/[;,]/)
          .map(decoded)
          .filter((name) => name !== null)
      : [],
  format: (value) => (value.length > 0 ? value.map(encoded).join(';') : null),
};

/**
 * Only what these lists give a meaning to is escaped. An empty name, which a tag and the group without a prefix may
 * have, is a lone `~`.
 */
export function encoded(name: string): string {
  return name === ''
    ? '~'
    : name.replace(/[%;=,~]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

export function decoded(name: string): string | null {
  if (name === '') return null; // two separators in a row
  if (name === '~') return '';
  try {
    return decodeURIComponent(name);
  } catch {
    return null; // a URL cut short by hand
  }
}

/** One name or none. */
export const name: Codec<string | null> = {
  parse: (t) => (t === null ? null : decoded(t)),
  format: (value) => (value === null ? null : encoded(value)),
};

/** A map by tag, as `tag=value;tag=value`. */
export function byTag<T>(
  parse: (text: string) => T | null,
  format: (value: T) => string,
): Codec<ReadonlyMap<string, T>> {
  return keyed(decoded, encoded, parse, format);
}

/** A map by the id of a card (card_key.ts), which is escaped already. */
export function byCard<T>(
  parse: (text: string) => T | null,
  format: (value: T) => string,
): Codec<ReadonlyMap<string, T>> {
  const id = (t: string): string => t.replace(',', ';'); // `;` separates the entries
  return keyed(id, (key) => key.replace(';', ','), parse, format);
}

function keyed<T>(
  keyOf: (text: string) => string | null,
  textOf: (key: string) => string,
  parse: (text: string) => T | null,
  format: (value: T) => string,
): Codec<ReadonlyMap<string, T>> {
  return {
    parse(t) {
      const map = new Map<string, T>();
      for (const part of t ? t.split(';') : []) {
        const [key = '', value = ''] = part.split('=');
        const [found, parsed] = [keyOf(key), parse(value)];
        if (found !== null && parsed !== null) map.set(found, parsed);
      }
      return map;
    },
    format: (map) =>
      map.size > 0 ? [...map].map(([key, value]) => `${textOf(key)}=${format(value)}`).join(';') : null,
  };
}
