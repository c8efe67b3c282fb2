import type { Threshold, ThresholdCondition } from './props';
import type { Polylines, Scale } from '@insight-host/kit/draw';

/** A range of values; an end that is not `closed` does not belong to it. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly lowClosed: boolean;
  readonly highClosed: boolean;
}

/** The values that satisfy a threshold: up to two ranges, none when the conditions contradict each other. */
export function satisfying(threshold: Threshold): readonly Interval[] {
  const first = half(threshold.first);
  if (!threshold.second) return [first];
  const second = half(threshold.second);
  if (threshold.join === 'or') return [first, second];
  const low = first.low > second.low || (first.low === second.low && !first.lowClosed) ? first : second;
  const high = first.high < second.high || (first.high === second.high && !first.highClosed) ? first : second;
  const both = { low: low.low, lowClosed: low.lowClosed, high: high.high, highClosed: high.highClosed };
  const empty = both.low > both.high || (both.low === both.high && !(both.lowClosed && both.highClosed));
  return empty ? [] : [both];
}

function half({ operator, value }: ThresholdCondition): Interval {
  const closed = operator.endsWith('=');
  return operator.startsWith('<')
    ? { low: -Infinity, lowClosed: true, high: value, highClosed: closed }
    : { low: value, lowClosed: closed, high: Infinity, highClosed: true };
}

export function holds(interval: Interval, value: number): boolean {
  return (
    (value > interval.low || (interval.lowClosed && value === interval.low)) &&
    (value < interval.high || (interval.highClosed && value === interval.high))
  );
}

/** The same range in pixels from the top, where larger values are smaller numbers. */
export function toPixels(interval: Interval, scale: Scale): Interval {
  const at = (value: number, whenNone: number): number => {
    if (!Number.isFinite(value)) return whenNone;
    const pixel = scale.toPixel(value);
    return Number.isNaN(pixel) ? Infinity : pixel; // at or below zero on a log axis: below everything
  };
  return {
    low: at(interval.high, -Infinity),
    lowClosed: interval.highClosed,
    high: at(interval.low, Infinity),
    highClosed: interval.lowClosed,
  };
}

/** The parts of polylines whose y lies in the interval, cut where they cross its ends. */
export function within(lines: Polylines, interval: Interval): Polylines {
  const points: number[] = [];
  const starts: number[] = [];
  const { low, high } = interval;
  for (let s = 0; s < lines.starts.length; s++) {
    const to = (lines.starts[s + 1] ?? lines.end) - 1;
    let joined = false;
    for (let i = lines.starts[s] as number; i < to; i++) {
      const x1 = lines.points[2 * i] as number;
      const y1 = lines.points[2 * i + 1] as number;
      const x2 = lines.points[2 * i + 2] as number;
      const y2 = lines.points[2 * i + 3] as number;
      let [t1, t2] = [0, 1];
      if (y1 === y2) {
        if (!holds(interval, y1)) t2 = -1;
      } else {
        const [a, b] = [(low - y1) / (y2 - y1), (high - y1) / (y2 - y1)];
        t1 = Math.max(0, Math.min(a, b));
        t2 = Math.min(1, Math.max(a, b));
      }
      if (t2 <= t1) {
        joined = false;
        continue;
      }
      if (!joined || t1 > 0) {
        starts.push(points.length / 2);
        points.push(x1 + t1 * (x2 - x1), y1 + t1 * (y2 - y1));
      }
      points.push(x1 + t2 * (x2 - x1), y1 + t2 * (y2 - y1));
      joined = t2 === 1;
    }
  }
  return { points: Float64Array.from(points), starts, end: points.length / 2 };
}
