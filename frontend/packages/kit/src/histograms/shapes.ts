/** Pictures of histograms over steps: bands of percentiles, and counts as colours. */
import type { Painter, Palette } from '@insight-host/kit/draw';
import { mix } from '@insight-host/kit';
import { cellsOf, type Cell, type Figure } from './figure';
import type { HistogramRow } from './props';

const SHADES = 48;

/** Counts as colours: rows across, bins upwards. Adjacent cells of one colour are painted together. */
export function drawHeatmap(figure: Figure, painter: Painter, colors: Palette): void {
  const { props, values, most } = figure;
  const shades = shadesOf(props.color, colors);
  const bins = props.edges.length - 1;
  const tops = Array.from({ length: bins + 1 }, (_, i) => snapped(values.toPixel(props.edges[i] as number), painter));
  for (const { from, to, row } of columnsOf(figure)) {
    const counts = props.rows[row]?.counts;
    if (!counts) continue;
    const [left, right] = [snapped(from, painter), snapped(to, painter)];
    if (right <= left) continue;
    for (let bin = 0; bin < bins;) {
      const shade = shadeOf(counts[bin] as number, most);
      let end = bin + 1;
      while (end < bins && shadeOf(counts[end] as number, most) === shade) end++;
      const [low, high] = [tops[bin] as number, tops[end] as number];
      if (shade > 0) painter.rectangle(left, high, right - left, low - high, shades[shade] as string);
      bin = end;
    }
  }
}

/** From nothing to the largest count, which stands out in both themes. */
function shadesOf(color: string, colors: Palette): readonly string[] {
  const full = mix(color, colors.text, 0.35);
  return Array.from({ length: SHADES }, (_, i) => {
    const share = i / (SHADES - 1);
    return share < 0.7
      ? mix(colors.surface, color, 0.08 + (0.92 * share) / 0.7)
      : mix(color, full, (share - 0.7) / 0.3);
  });
}

/** 0 for no count only. By the square root, so that rare values stay visible next to common ones. */
export function shadeOf(count: number, most: number): number {
  if (!(count > 0)) return 0;
  return Math.max(1, Math.min(SHADES - 1, Math.round(Math.sqrt(count / most) * (SHADES - 1))));
}

/** Where each row is painted, in pixels. Of rows that share a pixel the last is seen. */
export function columnsOf({ props, rows, plot }: Figure): Cell[] {
  const found: Cell[] = [];
  const cells = cellsOf(props);
  let reached = plot.left;
  cells.forEach(({ from, to, row }, i) => {
    const [left, right] = [Math.max(plot.left, rows.toPixel(from)), Math.min(plot.left + plot.width, rows.toPixel(to))];
    if (right - reached < 0.5 && i + 1 < cells.length) return; // the next one takes this place
    found.push({ from: Math.min(left, reached), to: right, row });
    reached = right;
  });
  return found;
}

/** On the border of a pixel: half-covered ones would show as a net. */
function snapped(value: number, painter: Painter): number {
  return Math.round(value / painter.hairline) * painter.hairline;
}

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
