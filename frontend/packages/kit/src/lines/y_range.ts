/** The y range of a chart, which a few diverged lines and extreme values do not stretch unless they should. */
import { extremes, padded, sample } from './extent';
import type { Line } from './props';

type Range = readonly [number, number];

interface YOptions {
  readonly log: boolean;
  readonly ignoreOutliers: boolean;
}

export interface YRange {
  /** Padded and rounded outwards, so that it is steady as points arrive. */
  readonly range: Range;
  /** Ends of it that values lie beyond. */
  readonly clipped: readonly number[];
}

/** The y range to show for what lies in the x window. */
export function yRange(lines: readonly Line[], window: Range, { log, ignoreOutliers }: YOptions): YRange {
  const whole = extremes(lines, window, log);
  if (!whole) return { range: padded(null, log), clipped: [] };
  const range = ignoreOutliers ? withoutOutliers(lines, window, log, whole) : whole;
  const isCut = [range[0] > whole[0], range[1] < whole[1]];
  const shown = padded(range, log);
  return { range: shown, clipped: shown.filter((_, end) => isCut[end]) };
}

const FEWEST_LINES = 5; // among fewer nobody can say which of them diverged
const FEWEST_VALUES = 20;
const LINES = 0.25; // share of lines that can be outliers at one end
const VALUES = 0.02; // share of values: the fast beginning of a healthy loss is longer
/** How many times the range of the others away from it outliers are, and how far the rest is shown then. */
const AWAY = { lines: { outlier: 3, shown: 3 }, values: { outlier: 10, shown: 1 } } as const;

/** `whole` without lines that reach far beyond most others, and then without values that do. */
function withoutOutliers(lines: readonly Line[], window: Range, log: boolean, whole: Range): Range {
  const reaches = lines.map((line) => extremes([line], window, log)).filter((range) => range !== null);
  const cutLines = reaches.length >= FEWEST_LINES ? withoutLines(reaches, log, whole) : whole;
  // what never changes does not diverge: a learning rate
  const flat = reaches.flatMap(([low, high]) => (low === high ? [low] : []));
  const ofLines: Range = [Math.min(cutLines[0], ...flat), Math.max(cutLines[1], ...flat)];
  const values = sample(lines, window, log)
    .filter((value) => value >= ofLines[0] && value <= ofLines[1])
    .sort();
  if (values.length < FEWEST_VALUES) return ofLines;
  return cut(ofLines, [quantile(values, VALUES), quantile(values, 1 - VALUES)], AWAY.values, log, values, values);
}

function withoutLines(reaches: readonly Range[], log: boolean, whole: Range): Range {
  const lows = Float64Array.from(reaches, ([low]) => low).sort();
  const highs = Float64Array.from(reaches, ([, high]) => high).sort();
  const most: Range = [quantile(lows, LINES), quantile(highs, 1 - LINES)];
  return cut(whole, most, AWAY.lines, log, lows, highs);
}

/**
 * `all`, cut at an end that is far away from `most`: to the last of the sorted `lows` or `highs` that is not. Where
 * most are equal, nothing flattens them, and all is left as it is.
 */
function cut(
  all: Range,
  most: Range,
  away: (typeof AWAY)['lines' | 'values'],
  log: boolean,
  lows: Float64Array,
  highs: Float64Array,
): Range {
  const place = log ? Math.log10 : (value: number): number => value;
  const [low, high] = [place(most[0]), place(most[1])];
  const size = high - low;
  if (!(size > 0)) return all;
  const isCut = [place(all[0]) < low - away.outlier * size, place(all[1]) > high + away.outlier * size];
  const from = isCut[0] ? lows.find((value) => place(value) >= low - away.shown * size) : all[0];
  const to = isCut[1] ? highs.findLast((value) => place(value) <= high + away.shown * size) : all[1];
  return [from ?? all[0], to ?? all[1]];
}

/** The value of these sorted ones that this share of them lies below, on the side of the middle. */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  return sorted[share < 0.5 ? Math.ceil(at) : Math.floor(at)] as number;
}
