import type { Locale } from '@insight-host/api';
import { niceStep } from '@insight-host/kit/lab';
import type { Tick } from './axis';

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
