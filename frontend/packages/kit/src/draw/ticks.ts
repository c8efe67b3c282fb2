import type { Locale } from '@insight-host/api';
import { durationText, niceStep, multiples } from '@insight-host/kit/lab';
import type { AxisKind, Tick, Scale } from './area';
import { estimatedWidth } from './painter';

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';

export function linearTicks(domain: readonly [number, number], count: number): Tick[] {
  const [lo, hi] = domain;
  const step = niceStep((hi - lo) / Math.max(1, count));
  return numbered(multiples(lo, hi, step), step);
}

/** Ticks whose texts have one notation: as many decimals, and the same unit or power of ten. */
function numbered(values: readonly number[], step: number): Tick[] {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return values.map((value) => ({ value, label: tickNumber(value, step, largest) }));
}

/** Powers of ten; with 1, 2 and 5 times them, and with minor ticks, where `count` says that there is room. */
export function logTicks(domain: readonly [number, number], count: number): Tick[] {
  const [lo, hi] = [Math.log10(domain[0]), Math.log10(domain[1])];
  if (hi - lo < 1) return linearTicks(domain, count).filter((tick) => tick.value > 0);
  const every = Math.max(1, Math.ceil((hi - lo) / (1.3 * Math.max(1, count)))); // powers of ten are short
  const named = every === 1 && (hi - lo) * 3 <= count ? [1, 2, 5] : [1];
  const between = hi - lo <= count * 2 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [1];
  const hasUnnamed = hi - lo <= count * 6; // lines closer than this are a surface
  const found = [];
  for (let power = Math.floor(lo); power <= Math.ceil(hi); power++) {
    if (power % every !== 0 && !hasUnnamed) continue;
    for (const mantissa of between) {
      const value = Number(`${mantissa}e${power}`);
      if (value < domain[0] * (1 - 1e-9) || value > domain[1] * (1 + 1e-9)) continue;
      found.push({ value, power, mantissa, isNamed: power % every === 0 && named.includes(mantissa) });
    }
  }
  const powers = found.flatMap(({ power, isNamed }) => (isNamed ? [power] : []));
  const isPlain = powers.every((power) => power >= -4 && power <= 4);
  return found.map(({ value, power, mantissa, isNamed }) => {
    if (!isNamed) return mantissa === 1 ? { value, label: '' } : { value, label: '', minor: true };
    return { value, label: isPlain ? String(value) : powerText(mantissa, power, named.length > 1) };
  });
}

export function xTicks(
  kind: AxisKind,
  domain: readonly [number, number],
  log: boolean,
  count: number,
  locale: Locale,
): Tick[] {
  if (kind === 'wall')
    return domain.every((end) => isoTime(end) !== null)
      ? calendarTicks(domain, count, locale)
      : linearTicks(domain, count);
  if (log)
    return logTicks(domain, count).map((t) =>
      kind === 'relative' && t.label ? { value: t.value, label: durationLabel(t.value, locale) } : t,
    );
  if (kind === 'number') return apart(linearTicks(domain, count));
  if (kind === 'relative') return durationTicks(domain, count, locale);
  const step = Math.max(1, niceStep((domain[1] - domain[0]) / Math.max(1, count)));
  const whole = step === 2.5 ? 5 : step; // steps are whole numbers
  return apart(numbered(multiples(domain[0], domain[1], whole), whole), whole);
}

/** Ticks with all digits of their values where shorter texts would be equal, as those of neighbours a step apart. */
function apart(ticks: Tick[], step = Infinity): Tick[] {
  const texts = new Set(ticks.map(({ label }) => label));
  const isFine = ticks.every(({ value }) => Math.abs(value) < 1e15 || step >= Math.abs(value) * 1e-6);
  if (isFine && texts.size === ticks.length) return ticks;
  return ticks.map(({ value }) => ({ value, label: String(value).replace('-', '−') }));
}

const DURATION_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

export function durationTicks(domain: readonly [number, number], count: number, locale: Locale): Tick[] {
  const rough = (domain[1] - domain[0]) / Math.max(1, count);
  const step =
    rough <= 0.5 ? niceStep(rough) : (DURATION_STEPS.find((s) => s >= rough) ?? niceStep(rough / 86400) * 86400);
  return multiples(domain[0], domain[1], step).map((value) => ({
    value,
    label: step < 1 ? `${tickNumber(value, step)} ${locale === 'en' ? 's' : '秒'}` : durationLabel(value, locale),
  }));
}

/** All units of a duration, but for zeros at its end: `1 h 30 m`. */
const durationLabel = (seconds: number, locale: Locale): string =>
  durationText(seconds, locale, 9).replace(/( ?00 ?[hms时分秒])+$/, '');

/**
 * A number for an axis: as many digits as the distance between ticks needs. `largest` of the axis determines unit and
 * power of ten, so that they are the same for all of its numbers.
 */
export function tickNumber(value: number, step: number, largest = Math.abs(value)): string {
  const isZero = Math.abs(value) < step * 1e-6;
  const size = isZero ? 0 : Math.abs(value);
  const sign = value < 0 && !isZero ? '−' : '';
  if (largest >= 1e15 || (largest < 1e-4 && step < 1e-4 && largest > 0)) {
    if (isZero) return '0';
    const power = Math.floor(Math.log10(largest) + 1e-9);
    const digits = Math.min(6, decimals(inPowers(step, power)));
    return `${sign}${inPowers(size, power).toFixed(digits)}e${power < 0 ? '−' : ''}${Math.abs(power)}`;
  }
  const plain = (number: number): string => number.toFixed(decimals(step));
  for (const [unit, letter] of UNITS_OF_NUMBERS) {
    if (largest < unit || largest < 1e4 || step * 1000 < unit) continue;
    const short = (number: number): string => `${(number / unit).toFixed(decimals(step / unit))}${letter}`;
    if (short(largest).length > plain(largest).length) break;
    return isZero ? '0' : sign + short(size);
  }
  return sign + plain(size);
}

const UNITS_OF_NUMBERS = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** A power of ten, or, where other ticks are multiples of powers, what computers write. */
function powerText(mantissa: number, power: number, hasMultiples: boolean): string {
  const digits = String(Math.abs(power));
  if (hasMultiples) return `${mantissa}e${power < 0 ? '−' : ''}${digits}`;
  return `10${power < 0 ? '⁻' : ''}${[...digits].map((digit) => SUPERSCRIPT[Number(digit)]).join('')}`;
}

/** A number in units of a power of ten that may have no number itself. */
function inPowers(size: number, power: number): number {
  const [mantissa, own] = size.toExponential(15).split('e');
  return Number(mantissa) * 10 ** (Number(own) - power);
}

function decimals(step: number): number {
  for (let d = 0; d < 12; d++) {
    const scaled = step * 10 ** d;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return d;
  }
  return 12;
}

const SIZE = 11; // pixels of the letters of an axis
const WIDER = 1.15; // than estimated: digits of some fonts
const GAP = 8; // pixels between two texts

/** Where texts may be; those of an axis move inwards from the edges of a picture. */
export type Room = readonly [number, number];

/** The middle of a text at `x` that stays within the room. */
export function textPlace(x: number, text: string, [from, to]: Room): number {
  const half = halfOf(text) + 2;
  return Math.max(from + half, Math.min(to - half, x));
}

/**
 * Ticks of a horizontal axis: `make(count)` of the largest count, from `most` down, whose texts do not touch. Where
 * only fewer than two texts would be left, those of `most` that touch the one before lose their text instead.
 */
export function fittingTicks(scale: Scale, room: Room, most: number, make: (count: number) => Tick[]): Tick[] {
  const all = make(Math.max(1, most));
  const without = touching(all, scale, room);
  if (without.size === 0) return all;
  for (let count = most - 1; count >= 1; count--) {
    const ticks = make(count);
    if (ticks.filter(({ label }) => label).length < 2) break;
    if (touching(ticks, scale, room).size === 0) return ticks;
  }
  return all.map((tick) => (without.has(tick) ? { ...tick, label: '' } : tick));
}

const halfOf = (text: string): number => (estimatedWidth(text, SIZE) * WIDER) / 2;

/** Ticks whose text touches that of the one before which has room. */
function touching(ticks: readonly Tick[], scale: Scale, room: Room): Set<Tick> {
  const found = new Set<Tick>();
  let end = -Infinity;
  for (const tick of ticks) {
    if (!tick.label) continue;
    const middle = textPlace(scale.toPixel(tick.value), tick.label, room);
    const half = halfOf(tick.label);
    if (middle - half < end + GAP || 2 * half > room[1] - room[0]) found.add(tick);
    else end = middle + half;
  }
  return found;
}

const SECOND = 1;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;
const BELOW_DAY = [1, 2, 5, 10, 15, 30]
  .flatMap((n) => [n * SECOND, n * MINUTE])
  .concat([1, 2, 3, 6, 12].map((n) => n * HOUR));
const STEPS = [...BELOW_DAY].sort((a, b) => a - b);

/** Seconds since the epoch in ISO 8601 (UTC); null beyond the dates of JavaScript, which end in the year 275760. */
export function isoTime(seconds: number): string | null {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Ticks of local time for a domain in seconds since the epoch. */
export function calendarTicks(domain: readonly [number, number], count: number, locale: Locale): Tick[] {
  const rough = (domain[1] - domain[0]) / Math.max(1, count);
  if (rough < 0.5) return fractionTicks(domain, rough, locale);
  const step = STEPS.find((s) => s >= rough);
  if (step !== undefined) return clockTicks(domain, step, locale);
  if (rough <= 16 * DAY) return dayTicks(domain, [1, 2, 4, 7, 14].find((d) => d * DAY >= rough) ?? 14, locale);
  if (rough <= 200 * DAY) return monthTicks(domain, [1, 3, 6].find((m) => m * 30.5 * DAY >= rough) ?? 6, locale);
  return monthTicks(domain, 12 * Math.max(1, niceStep(rough / (365 * DAY))), locale);
}

function clockTicks([lo, hi]: readonly [number, number], step: number, locale: Locale): Tick[] {
  const seconds = formatter(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const minutes = formatter(locale, { hour: '2-digit', minute: '2-digit' });
  const days = formatter(locale, { month: 'short', day: 'numeric' });
  const ticks: Tick[] = [];
  let local = Math.ceil((lo - offset(lo)) / step) * step;
  for (; ticks.length < 200; local += step) {
    const value = local + offset(local + offset(lo));
    if (value > hi) break;
    if (value < lo) continue;
    const date = new Date(value * 1000);
    ticks.push({ value, label: (local % DAY === 0 ? days : step < MINUTE ? seconds : minutes).format(date) });
  }
  return ticks;
}

function fractionTicks([lo, hi]: readonly [number, number], rough: number, locale: Locale): Tick[] {
  const step = niceStep(rough);
  const text = formatter(locale, { minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });
  const ticks: Tick[] = [];
  for (let i = Math.ceil(lo / step); i * step <= hi && ticks.length < 200; i++) {
    ticks.push({ value: i * step, label: text.format(new Date(i * step * 1000)) });
  }
  return ticks;
}

function dayTicks([lo, hi]: readonly [number, number], days: number, locale: Locale): Tick[] {
  const text = formatter(locale, { month: 'short', day: 'numeric' });
  const ticks: Tick[] = [];
  const date = new Date(lo * 1000);
  date.setHours(0, 0, 0, 0);
  for (; date.getTime() <= hi * 1000 && ticks.length < 200; date.setDate(date.getDate() + 1)) {
    const day = Math.round((date.getTime() / 1000 - offset(date.getTime() / 1000)) / DAY);
    if (date.getTime() >= lo * 1000 && day % days === 0)
      ticks.push({ value: date.getTime() / 1000, label: text.format(date) });
  }
  return ticks;
}

function monthTicks([lo, hi]: readonly [number, number], months: number, locale: Locale): Tick[] {
  const text = formatter(locale, months < 12 ? { year: 'numeric', month: 'short' } : { year: 'numeric' });
  const start = new Date(lo * 1000);
  const ticks: Tick[] = [];
  let index = Math.floor((start.getFullYear() * 12 + start.getMonth()) / months) * months;
  for (; ticks.length < 200; index += months) {
    const date = new Date(Math.floor(index / 12), index % 12, 1);
    if (date.getTime() > hi * 1000) break;
    if (date.getTime() >= lo * 1000) ticks.push({ value: date.getTime() / 1000, label: text.format(date) });
  }
  return ticks;
}

/** Seconds to add to local time to get UTC. */
function offset(seconds: number): number {
  return new Date(seconds * 1000).getTimezoneOffset() * MINUTE;
}

function formatter(
  locale: Locale,
  options: Intl.DateTimeFormatOptions & { fractionalSecondDigits?: 1 | 2 | 3 },
): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { ...options, hourCycle: 'h23' });
}
