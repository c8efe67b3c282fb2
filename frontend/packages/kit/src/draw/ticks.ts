import type { Locale } from '@insight-host/api';
import { multiples, niceStep } from '@insight-host/kit';
import type { XKind } from './axis';
import { calendarTicks } from './calendar';

export interface Tick {
  readonly value: number;
  /** Empty for a tick that has a grid line only. */
  readonly label: string;
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';

export function linearTicks(domain: readonly [number, number], count: number): Tick[] {
  const [lo, hi] = domain;
  const step = niceStep((hi - lo) / Math.max(1, count));
  return multiples(lo, hi, step).map((value) => ({ value, label: tickNumber(value, step) }));
}

export function logTicks(domain: readonly [number, number], count: number): Tick[] {
  const [lo, hi] = [Math.log10(domain[0]), Math.log10(domain[1])];
  if (hi - lo < 1) return linearTicks(domain, count).filter((tick) => tick.value > 0);
  const every = Math.max(1, Math.ceil((hi - lo) / Math.max(1, count)));
  const ticks: Tick[] = [];
  const between = every === 1 && (hi - lo) * 3 <= count ? [1, 2, 5] : [1];
  for (let power = Math.floor(lo); power <= Math.ceil(hi); power++) {
    for (const m of between) {
      const value = m * 10 ** power;
      if (value < domain[0] * (1 - 1e-9) || value > domain[1] * (1 + 1e-9)) continue;
      ticks.push({ value, label: power % every === 0 ? decade(m, power) : '' });
    }
  }
  return ticks;
}

export function xTicks(
  kind: XKind,
  domain: readonly [number, number],
  log: boolean,
  count: number,
  locale: Locale,
): Tick[] {
  if (kind === 'wall') return calendarTicks(domain, count, locale);
  if (log)
    return logTicks(domain, count).map((t) =>
      kind === 'relative' && t.label ? { value: t.value, label: duration(t.value, locale) } : t,
    );
  if (kind === 'relative') return durationTicks(domain, count, locale);
  const step = Math.max(1, niceStep((domain[1] - domain[0]) / Math.max(1, count)));
  const whole = step === 2.5 ? 5 : step; // steps are whole numbers
  return multiples(domain[0], domain[1], whole).map((value) => ({ value, label: tickNumber(value, whole) }));
}

const DURATION_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

export function durationTicks(domain: readonly [number, number], count: number, locale: Locale): Tick[] {
  const rough = (domain[1] - domain[0]) / Math.max(1, count);
  const step =
    rough <= 0.5 ? niceStep(rough) : (DURATION_STEPS.find((s) => s >= rough) ?? niceStep(rough / 86400) * 86400);
  return multiples(domain[0], domain[1], step).map((value) => ({
    value,
    label: step < 1 ? `${tickNumber(value, step)} ${UNITS[locale][3]}` : duration(value, locale),
  }));
}

const UNITS: Readonly<Record<Locale, readonly [string, string, string, string]>> = {
  en: ['d', 'h', 'm', 's'],
  'zh-CN': ['天', '时', '分', '秒'],
};

/** Seconds as the two largest units that are not zero: `1h 30m`. A dash where they are not known. */
export function duration(seconds: number, locale: Locale): string {
  const units = UNITS[locale];
  if (!Number.isFinite(seconds)) return '–'; // some logs have no times
  if (seconds === 0) return `0${units[3]}`;
  const sign = seconds < 0 ? '−' : '';
  const size = Math.abs(seconds);
  if (size < 60) return `${sign}${trim(size.toPrecision(3))}${units[3]}`;
  const whole = Math.round(size);
  const parts = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  const first = parts.findIndex((p) => p > 0);
  const text = parts
    .map((p, i) => (p > 0 && i <= first + 1 ? `${p}${units[i]}` : ''))
    .filter(Boolean)
    .join(locale === 'en' ? ' ' : '');
  return sign + text;
}

/** A number for an axis: as many digits as the distance between ticks needs, at most nine characters. */
export function tickNumber(value: number, step: number): string {
  const size = Math.abs(value);
  if (size < step * 1e-6) return '0';
  const sign = value < 0 ? '−' : '';
  if (size >= 1e15 || (size < 1e-4 && step < 1e-4)) {
    const digits = Math.max(0, Math.min(6, Math.floor(Math.log10(size)) - Math.floor(Math.log10(step) + 1e-9)));
    return (
      sign +
      exponential(size, step < size ? digits + (step / 10 ** Math.floor(Math.log10(step) + 1e-9) === 2.5 ? 1 : 0) : 0)
    );
  }
  for (const [unit, letter] of [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (size < unit || size < 1e4 || step * 1000 < unit) continue;
    return `${sign}${trim((size / unit).toFixed(decimals(step / unit)))}${letter}`;
  }
  return sign + size.toFixed(decimals(step));
}

function exponential(size: number, digits: number): string {
  const [mantissa = '', exponent = ''] = size.toExponential(digits).split('e');
  return `${trim(mantissa)}e${exponent.replace('+', '').replace('-', '−')}`;
}

function decade(mantissa: number, power: number): string {
  if (power >= -3 && power <= 4) return String(Number((mantissa * 10 ** power).toPrecision(3)));
  if (mantissa !== 1) return `${mantissa}e${power < 0 ? '−' : ''}${Math.abs(power)}`;
  const digits = [...String(Math.abs(power))].map((d) => SUPERSCRIPT[Number(d)]).join('');
  return `10${power < 0 ? '⁻' : ''}${digits}`;
}

function decimals(step: number): number {
  for (let d = 0; d < 12; d++) {
    const scaled = step * 10 ** d;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return d;
  }
  return 12;
}

function trim(text: string): string {
  return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text;
}
