/** Where the axis of time has ticks, and what they say. */
import type { Locale } from '@insight-host/api';
import { niceStep, WHOLE_DIGITS } from '@insight-host/kit';
import { inUnit, unitSign, type TimeUnit } from '../units';
import { lengthOf, type Span } from './span';

export interface Tick {
  readonly at: number;
  readonly text: string;
}
export interface Axis {
  readonly ticks: readonly Tick[];
  /** What the ticks count from, where they would have too many digits; '' where they count from the beginning. */
  readonly base: string;
  readonly step: number;
}

const unitFor = (step: number): TimeUnit => (step >= 1e8 ? 's' : step >= 1e5 ? 'ms' : step >= 1e3 ? 'us' : 'ns');
const ABOVE: Readonly<Record<TimeUnit, TimeUnit>> = { ns: 'us', us: 'ms', ms: 's', s: 's' };

export function axisOf(span: Span, width: number, locale: Locale): Axis {
  const step = Math.max(1, niceStep((lengthOf(span) / Math.max(1, width)) * 110, WHOLE_DIGITS)); // ns
  const unit = unitFor(step);
  const above = ABOVE[unit];
  // as many ticks as there are share what stands before them
  const size = 1 / inUnit(1, above);
  const zero =
    above !== unit && span.to >= 10 * size && lengthOf(span) < size ? Math.floor(span.from / size) * size : 0;
  const digits = Math.max(0, -Math.floor(Math.log10(inUnit(step, unit)) + 1e-9));
  const ticks: Tick[] = [];
  for (let i = Math.ceil(span.from / step); i * step <= span.to && ticks.length < 1000; i++) {
    const value = inUnit(i * step - zero, unit);
    ticks.push({
      at: i * step,
      text:
        `${zero > 0 ? '+' : ''}` +
        `${value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })} ` +
        `${unitSign(unit)}`,
    });
  }
  const base =
    zero > 0 ? `${inUnit(zero, above).toLocaleString(locale, { maximumFractionDigits: 0 })} ${unitSign(above)}` : '';
  return { ticks, base, step };
}
