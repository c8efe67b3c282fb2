/** Numbers for people: one unit for a whole column or axis, which is said once. */
import { bytesText, codecs, type Page, type Setting } from '@insight-host/kit';
import type { Locale } from '@insight-host/api';

export const TIME_UNITS = ['ns', 'us', 'ms', 's'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

const SIZES: Readonly<Record<TimeUnit, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
const SIGNS: Readonly<Record<TimeUnit, string>> = { ns: 'ns', us: 'µs', ms: 'ms', s: 's' };

export const MISSING = '—';

/** The largest unit of which `ns` is at least one. */
export function unitOf(ns: number): TimeUnit {
  const size = Math.abs(ns);
  return size >= 1e9 ? 's' : size >= 1e6 ? 'ms' : size >= 1e3 ? 'us' : 'ns';
}

export const unitSign = (unit: TimeUnit): string => SIGNS[unit];
export const inUnit = (ns: number, unit: TimeUnit): number => ns / SIZES[unit];

/**
 * A time without its unit, as it stands in a column: always three digits behind the point, but for whole nanoseconds.
 */
export function timeCell(ns: number, unit: TimeUnit, locale: Locale): string {
  const digits = unit === 'ns' ? 0 : 3;
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  const text = Math.abs(inUnit(ns, unit)).toLocaleString(locale, format);
  return ns < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

/** A time alone, with its unit: `12.3 ms`. */
export function timeText(ns: number, locale: Locale): string {
  const unit = unitOf(ns);
  const value = inUnit(ns, unit);
  const digits = unit === 'ns' ? 0 : Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
  return `${value.toLocaleString(locale, { maximumFractionDigits: digits })} ${SIGNS[unit]}`;
}

/** `67 %`, as findings write it. */
export const percentText = (share: number, locale: Locale, digits: Intl.NumberFormatOptions): string =>
  `${(100 * share).toLocaleString(locale, digits)} %`;

export const shareText = (share: number, locale: Locale): string =>
  percentText(share, locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** For labels in pictures: at most three digits. */
export const shortShare = (share: number, locale: Locale): string =>
  percentText(share, locale, { maximumFractionDigits: share < 0.1 ? 1 : 0 });

export const countText = (count: number, locale: Locale): string =>
  count.toLocaleString(locale, { maximumFractionDigits: 3 });

const POWERS = ['', 'k', 'M', 'G', 'T', 'P'];

/** `1.25 GFLOP`; the word is the caller's. */
export function powerText(value: number, word: string, locale: Locale): string {
  let size = value;
  let power = 0;
  while (Math.abs(size) >= 999.5 && power < POWERS.length - 1) {
    size /= 1000;
    power += 1;
  }
  return `${size.toLocaleString(locale, { maximumSignificantDigits: 4 })} ${POWERS[power]}${word}`;
}

export const sizeText = (bytes: number, locale: Locale): string =>
  bytes < 0 ? `−${bytesText(-bytes, locale)}` : bytesText(bytes, locale);

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A size, and the two parts it is the sum of (`second` of them is given), rounded so that the texts add up too. */
export function summandTexts(
  whole: number,
  second: number,
  locale: Locale,
): readonly [whole: string, first: string, second: string] {
  const power = BYTES.reduce((best, _, i) => (whole >= 1000 ** i ? i : best), 0);
  const digits = power === 0 ? 0 : 2;
  const hundredths = (bytes: number): number => Math.round((bytes / 1000 ** power) * 10 ** digits);
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const text = (value: number): string => `${(value / 10 ** digits).toLocaleString(locale, format)} ${BYTES[power]}`;
  return [text(hundredths(whole)), text(hundredths(whole) - hundredths(second)), text(hundredths(second))];
}

/** Which profile is looked at, as `Profiles` says it. */
interface Chosen {
  readonly profile: { readonly value: { readonly complete: boolean } | null };
  readonly query: { readonly value: object };
}

/** The unit of times: the one that the user chose, or one that suits each table. */
export class SteadyUnits {
  readonly chosen: Setting<TimeUnit | 'auto'>;
  private readonly known = new Map<string, TimeUnit>();

  constructor(
    page: Page,
    private readonly profiles: Chosen,
  ) {
    this.chosen = page.setting('unit', codecs.choice<TimeUnit | 'auto'>(TIME_UNITS, 'auto'));
  }

  /** One unit for a table while a profile is looked at, whatever it is sorted by: that which suited `ns` first. */
  of(table: string, ns: number | null): TimeUnit {
    const { value: chosen } = this.chosen;
    if (chosen !== 'auto') return chosen;
    const key = JSON.stringify([this.profiles.query.value, table]);
    const known = this.known.get(key);
    if (known || ns === null) return known ?? 'ms';
    const unit = unitOf(ns);
    if (this.profiles.profile.value?.complete) this.known.set(key, unit);
    return unit;
  }
}
