/** What the plots draw, as rows of exact values, and how values spread. */
import { valueText } from '@insight-host/kit';
import type { ChartData } from '@insight-host/kit/table';
import { bestText } from './analysis/importance_texts';
import type { Parameter } from './answers';
import type { Axis } from './axes';
import type { LineageParts } from './board';
import { rowsOf } from './exports';

/** Parallel coordinates: the runs that have a line, and their value on each axis. */
export function parallelTable(board: LineageParts): ChartData {
  return tableOf(
    rowsOf(
      board,
      board.columns.axes.value.map(({ column }) => column),
    ),
  );
}

/** A scatter plot: the runs that have a point. */
export function scatterTable(
  board: LineageParts,
  { column: x }: Axis,
  { column: y }: Axis,
  rows: Int32Array,
): ChartData {
  return tableOf(rowsOf(board, [x, y], rows));
}

/** How much of the target each parameter explains, and how it correlates with it. */
export function importanceTable(board: LineageParts, parameters: readonly Parameter[]): ChartData {
  const { t: say } = board.page;
  return {
    head: [
      say('importance.parameter'),
      say('importance.share'),
      say('importance.low'),
      say('importance.high'),
      say('importance.alone'),
      say('importance.best.title'),
      'Pearson',
      'Spearman',
      'n',
    ],
    rows: parameters.map((parameter) => [
      parameter.name,
      parameter.importance?.share ?? null,
      parameter.importance?.low ?? null,
      parameter.importance?.high ?? null,
      parameter.alone?.share ?? null,
      bestText(board, parameter.name, parameter.best) || null,
      parameter.correlation.pearson,
      parameter.correlation.spearman,
      parameter.count,
    ]),
  };
}

/** Buckets of a target. */
export function distributionTable(board: LineageParts, buckets: readonly Bucket[]): ChartData {
  const { t: say } = board.page;
  return {
    head: [say('distribution.from'), say('distribution.to'), say('distribution.runs')],
    rows: buckets.map(({ low, high, count }) => [low, high, count]),
  };
}

function tableOf([head = [], ...rows]: ReturnType<typeof rowsOf>): ChartData {
  return { head: head.map(String), rows };
}

/** How values spread: what MindInsight calls the distribution of a target, in its five buckets. */
interface Bucket {
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

const BUCKETS = 5;

/**
 * Of the finite numbers of these rows, evenly wide ones; each without its upper edge, but for the last. One of no width
 * where all are the same.
 */
export function bucketsOf(numbers: Float64Array, rows: Int32Array): readonly Bucket[] {
  const values = Float64Array.from(rows, (row) => numbers[row] as number).filter(Number.isFinite);
  if (values.length === 0) return [];
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low === high) return [{ low, high, count: values.length }];
  const width = Number.isFinite(high - low) ? (high - low) / BUCKETS : high / BUCKETS - low / BUCKETS;
  const edges = Array.from({ length: BUCKETS + 1 }, (_, at) => (at === BUCKETS ? high : low + at * width));
  const counts = new Array<number>(BUCKETS).fill(0);
  for (const value of values) {
    let at = 0;
    while (at < BUCKETS - 1 && value >= (edges[at + 1] as number)) at++;
    (counts[at] as number)++;
  }
  return counts.map((count, at) => ({ low: edges[at] as number, high: edges[at + 1] as number, count }));
}

/** An edge of a bucket in few letters, to a tenth of its width: neighbours never read alike. */
export function edgeText(value: number, { low, high }: Bucket): string {
  const place = Math.floor(Math.log10(high - low)) - 1; // of the last digit
  if (!Number.isFinite(place) || place < -100) return valueText(value);
  const rounded = place < 0 ? Number(value.toFixed(-place)) : Math.round(value / 10 ** place) * 10 ** place;
  const digits = rounded.toExponential().replace(/e.*|\D/g, '').length;
  return digits > 6 ? String(rounded).replace('-', '−') : valueText(rounded);
}
