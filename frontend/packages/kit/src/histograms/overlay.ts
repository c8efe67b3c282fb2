import type { HistogramCursor } from './props';
import type { Painter, Palette } from '@insight-host/kit/draw';
import { highlightOf, placeOf } from './cursor';
import { rowColors, stroke } from './drawing';
import { baseOf, cellsOf, type Figure } from './figure';

/** The overlay that moves with the pointer: the highlighted row and bin. */
export function drawOverlay(
  figure: Figure,
  cursor: HistogramCursor | null,
  marked: string | null,
  painter: Painter,
  colors: Palette,
): void {
  const row = cursor?.row ?? figure.props.rows.findIndex(({ id }) => id === marked);
  if (!figure.props.rows[row]) return;
  const { plot } = figure;
  painter.clipped(plot.left - 5, plot.top - 5, plot.width + 10, plot.height + 10, () => {
    if (figure.props.view === 'front' || figure.props.view === 'top') line(figure, row, cursor, painter, colors);
    else column(figure, row, cursor, painter, colors);
  });
}

function line(figure: Figure, row: number, cursor: HistogramCursor | null, painter: Painter, colors: Palette): void {
  const points = highlightOf(figure, row);
  if (!points) return;
  const color = rowColors(figure, colors)[row] as string;
  if (figure.props.view === 'top') painter.polygon(points, color, 0.95);
  stroke(painter, points, { color: colors.surface, width: 4, alpha: 0.8 });
  stroke(painter, points, { color: colors.text, width: 1.75 });
  if (!cursor) return;
  const { edges, view } = figure.props;
  const [from, to] = [edges[cursor.bin] as number, edges[cursor.bin + 1] as number].map(figure.values.toPixel) as [
    number,
    number,
  ];
  const [shift, base] =
    view === 'top' ? baseOf(figure, figure.props.rows[row]?.at ?? 0) : [0, figure.plot.top + figure.plot.height];
  const [x, y] = placeOf(figure, cursor.row, cursor.bin);
  painter.polygon([from + shift, base, from + shift, y, to + shift, y, to + shift, base], colors.accent, 0.22);
  dot(x, y, painter, colors);
}

function column(figure: Figure, row: number, cursor: HistogramCursor | null, painter: Painter, colors: Palette): void {
  const { plot, props, rows, values } = figure;
  const at = props.rows[row]?.at ?? NaN;
  const x = rows.toPixel(at);
  painter.segment(x, plot.top, x, plot.top + plot.height, { color: colors.faint, width: painter.hairline });
  if (!cursor) return;
  if (props.view === 'distributions') {
    for (const value of Array.from(props.rows[row]?.percentiles ?? []))
      if (Number.isFinite(value)) dot(x, values.toPixel(value), painter, colors, 2);
    return;
  }
  const cell = cellsOf(props).find((other) => other.row === row);
  const [left, right] = cell ? [rows.toPixel(cell.from), rows.toPixel(cell.to)] : [x, x];
  const [low, high] = [
    values.toPixel(props.edges[cursor.bin] as number),
    values.toPixel(props.edges[cursor.bin + 1] as number),
  ];
  const [from, to] = [Math.min(left, x - 3), Math.max(right, x + 3)];
  stroke(painter, Float64Array.of(from, low, from, high, to, high, to, low, from, low), {
    color: colors.surface,
    width: 3.5,
  });
  stroke(painter, Float64Array.of(from, low, from, high, to, high, to, low, from, low), {
    color: colors.text,
    width: 1.5,
  });
}

function dot(x: number, y: number, painter: Painter, colors: Palette, radius = 3): void {
  painter.circle(x, y, radius + 1.25, colors.surface);
  painter.circle(x, y, radius, colors.accent);
}
