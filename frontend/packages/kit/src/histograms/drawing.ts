import type { HistogramRow } from './props';
import {
  BOTTOM,
  drawCaption,
  drawMark,
  textPlace,
  type Painter,
  type Palette,
  type Polylines,
  type Stroke,
} from '@insight-host/kit/draw';
import { mix } from '@insight-host/kit';
import { drawDistributions, drawHeatmap } from './shapes';
import { baseOf, named, outline, stairs, type Figure } from './figure';

const FEW = 8; // rows up to which bins are drawn as wide as they are

/** Paints a figure: grid, data, marks, axes, and for files the title and the legend. */
export function draw(figure: Figure, painter: Painter, colors: Palette): void {
  const { plot, props } = figure;
  if (props.view === 'top') floor(figure, painter, colors);
  else grid(figure, painter, colors);
  if (props.view === 'top') ridges(figure, painter, colors);
  else {
    painter.clipped(plot.left, plot.top - 1, plot.width, plot.height + 2, () => {
      if (props.view === 'front') front(figure, painter, colors);
      else if (props.view === 'distributions') drawDistributions(figure, painter);
      else drawHeatmap(figure, painter, colors);
    });
  }
  errors(figure, painter, colors);
  axes(figure, painter, colors);
  if (figure.size.labelled) drawCaption(painter, props.title, figure.size, figure.legend, colors);
}

/** Of every row the colour in which it is drawn in `front` and `top`. */
export function rowColors({ props }: Figure, colors: Palette): readonly string[] {
  const shades = ramp(props.color, colors, props.rows.length);
  return props.rows.map((row, i) => row.color ?? (shades[i] as string));
}

/** Whether a row is drawn with steps as wide as its bins. */
export function isStepped(figure: Figure): boolean {
  return figure.props.view === 'front' && figure.props.rows.length <= FEW;
}

/** The line of a row in pixels, from one end of the axis to the other. */
export function lineOf(figure: Figure, row: HistogramRow): Float64Array {
  const points = isStepped(figure) ? stairs(figure, row) : outline(figure, row);
  const [shift, base] = figure.props.view === 'top' ? baseOf(figure, row.at) : [0, 0];
  for (let i = 0; i < points.length; i += 2) {
    points[i] = (points[i] as number) + shift;
    const count = figure.counts.toPixel(points[i + 1] as number);
    points[i + 1] = figure.props.view === 'top' ? base - count : count;
  }
  return points;
}

export function stroke(painter: Painter, points: Float64Array, style: Stroke): void {
  painter.polylines({ points, starts: [0], end: points.length / 2 }, style);
}

function front(figure: Figure, painter: Painter, colors: Palette): void {
  const { rows } = figure.props;
  const shades = rowColors(figure, colors);
  const stepped = isStepped(figure);
  rows.forEach((row, i) => {
    const points = lineOf(figure, row);
    const color = shades[i] as string;
    if (stepped) painter.polygon(points, color, rows.length === 1 ? 0.3 : 0.12);
    stroke(painter, points, { color, width: rows.length <= 60 ? 1.25 : 1 });
  });
}

/** Rows from the earliest, at the back, to the last: each hides what is behind it. */
function ridges(figure: Figure, painter: Painter, colors: Palette): void {
  const { props, depth } = figure;
  const shades = rowColors(figure, colors);
  const order = props.rows
    .map((_, i) => i)
    .sort((a, b) => (props.rows[a] as HistogramRow).at - (props.rows[b] as HistogramRow).at);
  const apart = depth / Math.max(1, order.length - 1);
  const fill = apart < 1.5 ? 1 : 0.88;
  const edge: Stroke = {
    color: colors.surface,
    width: apart < 2.5 ? painter.hairline : 1,
    alpha: apart < 1.2 ? 0.4 : 0.85,
  };
  for (const i of order) {
    const points = lineOf(figure, props.rows[i] as HistogramRow);
    const color = shades[i] as string;
    painter.polygon(points, color, fill);
    if (order.length > 1) painter.polylines(raised(points), edge);
    else stroke(painter, points, { color: mix(color, colors.text, 0.2), width: 1.25 });
  }
}

/** The parts of a line that are above the ground, which stays visible where there is nothing. */
function raised(points: Float64Array): Polylines {
  const ground = points[1] as number;
  const end = points.length / 2;
  const low = (i: number): boolean => i < 0 || i >= end || ground - (points[2 * i + 1] as number) < 0.5;
  const kept: number[] = [];
  const starts: number[] = [];
  for (let i = 0; i < end; i++) {
    if (low(i - 1) && low(i) && low(i + 1)) continue;
    if (low(i) && low(i - 1)) starts.push(kept.length / 2);
    kept.push(points[2 * i] as number, points[2 * i + 1] as number);
  }
  return { points: Float64Array.from(kept), starts, end: kept.length / 2 };
}

/** The ground of `top`: lines of equal values go back, lines of equal steps across. */
function floor(figure: Figure, painter: Painter, colors: Palette): void {
  const { plot, depth, values, valueTicks, rowTicks } = figure;
  const [width, bottom] = [plot.width - depth, plot.top + plot.height];
  const line: Stroke = { color: colors.grid, width: painter.hairline };
  painter.polygon(
    [
      plot.left,
      bottom,
      plot.left + width,
      bottom,
      plot.left + width + depth,
      bottom - depth,
      plot.left + depth,
      bottom - depth,
    ],
    colors.grid,
    0.25,
  );
  for (const { value } of valueTicks) {
    const x = values.toPixel(value);
    painter.polylines({ points: Float64Array.of(x, bottom, x + depth, bottom - depth), starts: [0], end: 2 }, line);
  }
  if (depth === 0) return;
  for (const { value } of rowTicks) {
    const [shift, y] = baseOf(figure, value);
    painter.segment(plot.left + shift, y, plot.left + shift + width, y, line);
  }
}

function grid(
  { plot, props, values, valueTicks, counts, countTicks, rows, rowTicks }: Figure,
  painter: Painter,
  colors: Palette,
): void {
  const line: Stroke = { color: colors.grid, width: painter.hairline };
  const up = (x: number): void => painter.segment(x, plot.top, x, plot.top + plot.height, line);
  const across = (y: number): void => painter.segment(plot.left, y, plot.left + plot.width, y, line);
  for (const { value } of countTicks) across(counts.toPixel(value));
  for (const { value } of valueTicks) (props.view === 'front' ? up : across)(values.toPixel(value));
  if (props.view !== 'front') for (const { value } of rowTicks) up(rows.toPixel(value));
}

/** A triangle where a row could not be read. */
function errors(figure: Figure, painter: Painter, colors: Palette): void {
  const { plot, props, rows, depth } = figure;
  if (props.view === 'front') return; // which has no axis of rows
  for (const at of props.errors ?? []) {
    if (props.view === 'top') {
      const [shift, y] = baseOf(figure, at);
      const x = plot.left + plot.width - depth + shift;
      painter.polygon([x, y, x + 7, y - 4, x + 7, y + 4], colors.danger);
    } else drawMark(painter, plot, rows.toPixel(at), colors.danger);
  }
}

function axes(figure: Figure, painter: Painter, colors: Palette): void {
  const { plot, props, size, values, valueTicks, counts, countTicks, rows, rowTicks, depth } = figure;
  const [bottom, right] = [plot.top + plot.height, plot.left + plot.width];
  const line: Stroke = { color: colors.axis, width: painter.hairline };
  const below = (x: number, text: string): void => {
    painter.text(textPlace(x, text, [0, size.width]), bottom + 6, text, {
      color: colors.faint,
      align: 'center',
      baseline: 'top',
    });
  };
  const note = (y: number, text: string): void =>
    painter.text(plot.left - 6, y, text, { color: colors.faint, align: 'right', maxWidth: plot.left - 8 });
  painter.segment(plot.left, bottom, right - depth, bottom, line);
  if (props.view === 'front' || props.view === 'top') {
    for (const { value, label } of valueTicks) if (label) below(values.toPixel(value), label);
    for (const { value, label } of countTicks) note(counts.toPixel(value), label);
  } else {
    for (const { value, label } of rowTicks) if (label) below(rows.toPixel(value), label);
    for (const { value, label } of valueTicks) note(values.toPixel(value), label);
  }
  if (props.view === 'top' && depth > 0) {
    painter.polylines(
      { points: Float64Array.of(right - depth, bottom, right, bottom - depth), starts: [0], end: 2 },
      line,
    );
    for (const { value, label } of rowTicks) {
      const [shift, y] = baseOf(figure, value);
      painter.text(right - depth + shift + 8, y, label, {
        color: colors.faint,
        maxWidth: size.width - right + depth - shift - 10,
      });
    }
  }
  if (named(size)) names(figure, painter, colors);
}

function names({ plot, props, depth }: Figure, painter: Painter, colors: Palette): void {
  const { view, valueLabel, countLabel, rowLabel } = props;
  const [bottom, right] = [plot.top + plot.height, plot.left + plot.width];
  const across = view === 'front' || view === 'top' ? valueLabel : rowLabel;
  painter.text(view === 'top' ? plot.left : right, bottom + BOTTOM + 8, across, {
    color: colors.text,
    align: view === 'top' ? 'left' : 'right',
  });
  if (view === 'top') painter.text(right + 8, bottom - depth - 18, rowLabel, { color: colors.text });
  else painter.text(plot.left - 46, plot.top - 11, view === 'front' ? countLabel : valueLabel, { color: colors.text });
}

const FAINTEST = 0.24;
let latest: { readonly key: string; readonly shades: readonly string[] } = { key: '', shades: [] };

/** So many colours from the faint one of the first row to the full one of the last. */
export function ramp(color: string, colors: Palette, count: number): readonly string[] {
  const key = `${color} ${colors.surface} ${count}`; // computed at every pointer move
  if (latest.key !== key) {
    const share = (i: number): number => (count === 1 ? 1 : FAINTEST + (1 - FAINTEST) * (i / (count - 1)));
    latest = { key, shades: Array.from({ length: count }, (_, i) => mix(colors.surface, color, share(i))) };
  }
  return latest.shades;
}
