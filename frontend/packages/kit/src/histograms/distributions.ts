import type { HistogramRow } from './props';
import type { Painter } from '@insight-host/kit/draw';
import type { Figure } from './figure';

const PAIRS = [
  [0, 8],
  [1, 7],
  [2, 6],
  [3, 5],
] as const; // of percentiles, each band within the one before
const MEDIAN = 4;
const ALPHA = 0.17; // of each band: inner ones lie upon outer ones
const HALF = 6; // pixels to both sides of a row that stands alone

/** Bands between percentiles over rows, and the line of the median. */
export function drawDistributions(figure: Figure, painter: Painter): void {
  const { color } = figure.props;
  for (const piece of pieces(figure.props.rows)) {
    for (const [low, high] of PAIRS)
      painter.polygon([...edge(figure, piece, high), ...reversed(edge(figure, piece, low))], color, ALPHA);
    const points = Float64Array.from(edge(figure, piece, MEDIAN));
    painter.polylines({ points, starts: [0], end: points.length / 2 }, { color, width: 1.5 });
  }
}

/** Rows that are joined: those with values, as long as they go on. */
export function pieces(rows: readonly HistogramRow[]): HistogramRow[][] {
  const found: HistogramRow[][] = [];
  let last: HistogramRow | null = null;
  for (const row of rows) {
    if (Number.isNaN(row.percentiles[MEDIAN] ?? NaN)) {
      last = null;
      continue;
    }
    if (last === null || row.at < last.at) found.push([]);
    found[found.length - 1]?.push(row);
    last = row;
  }
  return found;
}

function edge({ rows, values }: Figure, piece: readonly HistogramRow[], which: number): number[] {
  const at = (row: HistogramRow, shift: number): number[] => [
    rows.toPixel(row.at) + shift,
    values.toPixel(row.percentiles[which] as number),
  ];
  const [only] = piece;
  if (piece.length === 1 && only) return [...at(only, -HALF), ...at(only, HALF)];
  return piece.flatMap((row) => at(row, 0));
}

function reversed(points: readonly number[]): number[] {
  const out: number[] = [];
  for (let i = points.length - 2; i >= 0; i -= 2) out.push(points[i] as number, points[i + 1] as number);
  return out;
}
