import type { LogFlags, Range, Zoom } from './codecs';

/** What is typed as the limits of two axes. */
export interface LimitTexts {
  readonly x0: string;
  readonly x1: string;
  readonly y0: string;
  readonly y1: string;
}

type Problem = 'limits.both' | 'limits.number' | 'limits.order' | 'limits.positive';

/** The limits, or the key of a text that says what is wrong with them. Two empty fields are no limit. */
export function readLimits({ x0, x1, y0, y1 }: LimitTexts, log: LogFlags): Zoom | Problem {
  const [x, y] = [readRange(x0, x1, log.x), readRange(y0, y1, log.y)];
  if (typeof x === 'string') return x;
  return typeof y === 'string' ? y : { x, y };
}

function readRange(from: string, to: string, log: boolean): Range | null | Problem {
  if (!from.trim() && !to.trim()) return null;
  if (!from.trim() || !to.trim()) return 'limits.both';
  const [low, high] = [Number(from), Number(to)];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return 'limits.number';
  if (low >= high) return 'limits.order';
  return log && low <= 0 ? 'limits.positive' : [low, high];
}
