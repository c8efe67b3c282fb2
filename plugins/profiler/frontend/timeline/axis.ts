/** Texts of the timeline: ticks of its axis, and names upon bars. */
import type { Locale } from '@insight-host/api';
import { niceStep, WHOLE_DIGITS } from '@insight-host/kit';
import { inUnit, type TimeUnit, unitSign } from '../units';
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

/** Names upon bars, cut to the room that there is. */

const KEPT = 20_000;

export class Labels {
  private readonly widths = new Map<string, number>();

  /** px that a text is wide in the font of the context. */
  widthOf(context: CanvasRenderingContext2D, text: string): number {
    const known = this.widths.get(text);
    if (known !== undefined) return known;
    if (this.widths.size >= KEPT) this.widths.clear();
    const width = context.measureText(text).width;
    this.widths.set(text, width);
    return width;
  }

  /** As much of a text as fits, without the name spaces before it if need be; '' when that would say nothing. */
  fitting(context: CanvasRenderingContext2D, text: string, room: number): string {
    if (this.widthOf(context, text) <= room) return text;
    const short = ownName(text);
    const width = this.widthOf(context, short);
    if (width <= room) return short;
    let letters = Math.floor((short.length * room) / width) - 1;
    while (letters > 1 && this.widthOf(context, `${short.slice(0, letters)}…`) > room) letters--;
    return letters < 2 ? '' : `${short.slice(0, letters)}…`;
  }
}

/** `empty` of `aten::empty`, `Linear` of `torch/nn/Linear`; what stands in brackets stays. */
export function ownName(text: string): string {
  const bracket = /[<([]/.exec(text.slice(1))?.index;
  const head = bracket === undefined ? text : text.slice(0, bracket + 1);
  const at = Math.max(
    ...['::', '/', ': '].map((mark) => (head.includes(mark) ? head.lastIndexOf(mark) + mark.length : 0)),
  );
  return at < text.length ? text.slice(at) : text;
}
