/** What the plots draw, as rows of exact values. */
import type { ChartData } from '@insight-host/kit/table';
import type { Parameter } from './answers';
import type { Axis } from './axes';
import type { LineageParts } from './board';
import type { Bucket } from './buckets';
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

/** How parameters correlate with the target; without coefficients, the reason. */
export function importanceTable(board: LineageParts, parameters: readonly Parameter[]): ChartData {
  const { t: say } = board.page;
  return {
    head: [say('importance.parameter'), 'Pearson', 'Spearman', 'n', say('importance.reason')],
    rows: parameters.map(({ name, pearson, spearman, count, reason }) => [
      name,
      pearson,
      spearman,
      count,
      pearson === null ? say(`reason.${reason ?? 'too_few'}`, { count }) : null,
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
