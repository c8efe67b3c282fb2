import type { Codec, XKind } from 'insight-host';

/** Codecs of the keys of the view in the page's URL; the default value leaves no trace there. */

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

export const xKind = choice<XKind>(['step', 'relative', 'wall'], 'step');

export const MAX_SMOOTHING = 0.999;

/** Weight of smoothing; anything that is not a number from 0 to 0.999 is none. */
export const smoothing: Codec<number> = {
  parse: (t) => clampSmoothing(t === null ? 0 : Number(t)),
  format: (value) => (value > 0 ? String(Number(value.toFixed(3))) : null),
};

export function clampSmoothing(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.min(MAX_SMOOTHING, value)) : 0;
}

export const names: Codec<readonly string[]> = {
  parse: (t) => (t ? t.split(';').map(decoded).filter((name) => name !== null) : []),
  format: (value) => (value.length > 0 ? value.map(encoded).join(';') : null),
};

/** Only what these lists give a meaning to is escaped. An empty name, which a tag and the group without a prefix may have, is a lone `~`. */
function encoded(name: string): string {
  return name === '' ? '~' : name.replace(/[%;=,~]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

function decoded(name: string): string | null {
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

export type Range = readonly [number, number];
export interface Zoom {
  readonly x: Range | null;
  readonly y: Range | null;
}

/** A map by tag, as `tag=value;tag=value`. */
export function byTag<T>(parse: (text: string) => T | null, format: (value: T) => string): Codec<ReadonlyMap<string, T>> {
  return {
    parse(t) {
      const map = new Map<string, T>();
      for (const part of t ? t.split(';') : []) {
        const [name = '', value = ''] = part.split('=');
        const [tag, parsed] = [decoded(name), parse(value)];
        if (tag !== null && parsed !== null) map.set(tag, parsed);
      }
      return map;
    },
    format: (map) => (map.size > 0 ? [...map].map(([tag, value]) => `${encoded(tag)}=${format(value)}`).join(';') : null),
  };
}

const range = (from: string | undefined, to: string | undefined): Range | null => {
  const [a, b] = [Number(from), Number(to)];
  return from && to && Number.isFinite(a) && Number.isFinite(b) && a < b ? [a, b] : null;
};

export function parseZoom(t: string): Zoom | null {
  const parts = t.split(',');
  const zoom = { x: range(parts[0], parts[1]), y: range(parts[2], parts[3]) };
  return zoom.x || zoom.y ? zoom : null;
}

export function formatZoom({ x, y }: Zoom): string {
  return [...(x ?? ['', '']), ...(y ?? ['', ''])].join(',').replace(/,+$/, '');
}

/** A window with as many digits as a screen can show, so that URLs stay short. */
export function rounded(window: Range | null): Range | null {
  if (!window) return null;
  const digits = Math.max(0, Math.min(15, 5 - Math.floor(Math.log10(window[1] - window[0]))));
  const [from, to] = [Number(window[0].toFixed(digits)), Number(window[1].toFixed(digits))];
  return from < to ? [from, to] : window;
}

export const zooms = byTag(parseZoom, formatZoom);
export const linkedZoom: Codec<Range | null> = {
  parse: (t) => (t ? range(t.split(',')[0], t.split(',')[1]) : null),
  format: (value) => (value ? value.join(',') : null),
};

export interface LogFlags {
  readonly x: boolean;
  readonly y: boolean;
}

/** Cards whose axes differ from the toolbar's: `x`, `y`, `xy`, or `-` for both linear. */
export const logFlags = byTag<LogFlags>(
  (t) => (/^(-|x?y?)$/.test(t) && t !== '' ? { x: t.includes('x'), y: t.includes('y') } : null),
  (value) => `${value.x ? 'x' : ''}${value.y ? 'y' : ''}` || '-',
);

export const pairs = byTag<string>(decoded, encoded);
