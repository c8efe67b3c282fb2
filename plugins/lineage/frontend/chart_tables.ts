/** What the plots draw, as rows of exact values. */
import type { ChartData } from '@insight-host/kit/table';
import type { Parameter } from './answers';
import type { Axis } from './axes';
import type { LineageParts } from './board';
import type { Bucket } from './buckets';
import { rowsOf } from './exports';
import { bestText } from './importance_texts';

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
