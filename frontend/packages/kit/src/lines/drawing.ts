/** Draws a figure: lines, dots, marks and what stands at its edges. */
import type { ColorScale } from '@insight-host/api';
import type { Threshold } from './props';
import {
  drawCaption,
  drawColorBar,
  drawMark,
  estimatedWidth,
  legendTop,
  scaleText,
  textPlace,
  type Area,
  type Painter,
  type Palette,
  type Stroke,
  type Tick,
} from '@insight-host/kit/draw';
import { drawEndLabels } from './end_labels';
import { drawErrorBars, hasRoomForBars } from './error_bars';
import { mainLines, namesX } from './figure';
import { type Entry, type Figure, leftOutText } from './layout';
import { satisfying, holds, toPixels, within } from './threshold';
import { drawSheetTexts } from './sheet';

const RADIUS = 2.5; // of a point that no line joins
const MANY = 20; // lines that one can still follow; of more each is translucent
const TRANSLUCENT = 0.45;
const GIVEN_RADIUS = 4; // of `LineChartProps.dots`

/** Paints a figure: grid, bands, raw lines, lines, marks, axes, and for files the title and the legend. */
export function draw(figure: Figure, painter: Painter, colors: Palette): void {
  const { plot, props } = figure;
  const barred = new Set(figure.entries.filter((entry) => hasRoomForBars(entry, figure)));
  grid(figure, painter, colors);
  painter.clipped(plot.left, plot.top, plot.width, plot.height, () => {
    verticalMarks(figure, painter);
    const bands = figure.entries.filter((entry) => entry.band && !barred.has(entry));
    // many together would hide what is below them
    for (const entry of bands) band(entry, painter, Math.max(0.015, 0.16 * Math.min(1, 6 / bands.length)));
    const count = mainLines(props).length;
    // Many raw lines together would hide the smoothed ones.
    const faint = Math.max(0.06, 0.28 * Math.min(1, 8 / count));
    for (const role of ['raw', 'main', 'best']) {
      for (const entry of figure.entries) {
        if ((entry.line.role ?? 'main') === role) line(entry, painter, count, faint, figure.size.sheet?.lineWidth);
      }
    }
    if (props.threshold) violations(figure, props.threshold, painter, colors);
  });
  drawErrorBars([...barred], figure, painter);
  painter.clipped(plot.left - RADIUS, plot.top - RADIUS, plot.width + 2 * RADIUS, plot.height + 2 * RADIUS, () => {
    for (const entry of figure.entries) {
      if (entry.line.role === 'raw') continue;
      dots(entry, painter, entry.line.color);
      const bad =
        props.threshold && entry.line.axis !== 'right'
          ? satisfying(props.threshold).map((i) => toPixels(i, entry.scale))
          : [];
      if (bad.length > 0) dots(entry, painter, colors.danger, (y) => bad.some((interval) => holds(interval, y)));
    }
  });
  givenDots(figure, painter, colors);
  edgeMarks(figure, painter);
  if (figure.clipped.length > 0) arrows(figure, painter);
  axes(figure, painter, colors);
  drawEndLabels(figure, painter, colors);
  if (!figure.size.labelled || figure.size.sheet) return;
  drawCaption(painter, props.title, figure.size, figure.legend, colors);
  if (props.scale) drawScale(props.scale, plot, painter, colors);
}

function drawScale(scale: ColorScale, plot: Area, painter: Painter, colors: Palette): void {
  const [text, y] = [scaleText(scale), legendTop(plot)];
  painter.text(16, y, text, { color: colors.text });
  drawColorBar(painter, scale, [16 + estimatedWidth(text, 11) + 12, y], Infinity, colors);
}

function grid({ plot, xTicks, yTicks, x, y }: Figure, painter: Painter, colors: Palette): void {
  const stroke: Stroke = { color: colors.grid, width: painter.hairline };
  for (const tick of major(yTicks))
    painter.segment(plot.left, y.toPixel(tick.value), plot.left + plot.width, y.toPixel(tick.value), stroke);
  for (const tick of major(xTicks))
    painter.segment(x.toPixel(tick.value), plot.top, x.toPixel(tick.value), plot.top + plot.height, stroke);
}

function major(ticks: readonly Tick[]): readonly Tick[] {
  return ticks.filter((tick) => !tick.minor);
}

function line(
  { line: { color, role, dash }, trace }: Entry,
  painter: Painter,
  count: number,
  faint: number,
  given?: number,
): void {
  const raw = role === 'raw';
  const isThin = raw || (role === 'best' ? count <= MANY && count > 10 : count > 10);
  const alpha = raw ? faint : role !== 'best' && count > MANY ? TRANSLUCENT : 1;
  const stroke: Stroke = {
    color,
    width:
      given ??
      (isThin || crowded(trace.end, trace.points)
        ? Math.max(painter.hairline, 1)
        : role === 'best' && count > MANY
          ? 2
          : 1.5),
    ...(dash ? { dash } : {}),
    ...(alpha < 1 ? { alpha } : {}),
  };
  painter.polylines(trace, stroke);
}

function dots(entry: Entry, painter: Painter, color: string, wanted: (y: number) => boolean = () => true): void {
  const { dots: points } = entry.trace;
  for (let i = 0; i + 1 < points.length; i += 2) {
    if (wanted(points[i + 1] as number)) painter.circle(points[i] as number, points[i + 1] as number, RADIUS, color);
  }
}

function givenDots({ plot, props, x, y }: Figure, painter: Painter, colors: Palette): void {
  const reach = GIVEN_RADIUS + 1;
  painter.clipped(plot.left - reach, plot.top - reach, plot.width + 2 * reach, plot.height + 2 * reach, () => {
    for (const dot of props.dots ?? []) {
      const [px, py] = [x.toPixel(dot.x), y.toPixel(dot.y)];
      if (!Number.isFinite(px) || !Number.isFinite(py)) continue;
      painter.circle(px, py, reach, colors.surface);
      painter.circle(px, py, GIVEN_RADIUS, dot.color);
    }
  });
}

/** Ink is the cost: a line that goes up and down in every column is drawn as thin as it gets. */
function crowded(count: number, points: Float64Array): boolean {
  if (count < 200) return false;
  let ink = 0;
  for (let i = 1; i < count; i++) ink += Math.abs((points[2 * i + 1] as number) - (points[2 * i - 1] as number));
  return ink > 4000;
}

function band({ line, band: edges }: Entry, painter: Painter, alpha: number): void {
  if (!edges) return;
  const { low, high } = edges;
  for (let s = 0; s < Math.min(low.starts.length, high.starts.length); s++) {
    const points: number[] = [];
    for (let i = high.starts[s] as number; i < (high.starts[s + 1] ?? high.end); i++)
      points.push(high.points[2 * i] as number, high.points[2 * i + 1] as number);
    for (let i = (low.starts[s + 1] ?? low.end) - 1; i >= (low.starts[s] as number); i--)
      points.push(low.points[2 * i] as number, low.points[2 * i + 1] as number);
    painter.polygon(points, line.color, alpha);
  }
}

function verticalMarks({ props, plot, x }: Figure, painter: Painter): void {
  for (const mark of props.marks ?? []) {
    const px = x.toPixel(mark.x);
    if (!(px >= plot.left && px <= plot.left + plot.width)) continue;
    drawMark(painter, plot, px, mark.color);
  }
}

function violations(figure: Figure, threshold: Threshold, painter: Painter, colors: Palette): void {
  const { entries, plot, props } = figure;
  const width = mainLines(props).length > 10 ? 1 : 2;
  for (const { line, trace, scale } of entries) {
    if (line.role === 'raw' || line.axis === 'right') continue;
    for (const interval of satisfying(threshold)) {
      const pixels = toPixels(interval, scale);
      painter.polylines(within(trace, pixels), {
        color: colors.danger,
        width,
        ...(line.dash ? { dash: line.dash } : {}),
      });
    }
  }
  for (const condition of [threshold.first, threshold.second]) {
    const py = condition ? figure.y.toPixel(condition.value) : NaN;
    if (py >= plot.top && py <= plot.top + plot.height) {
      painter.segment(plot.left, py, plot.left + plot.width, py, {
        color: colors.danger,
        width: painter.hairline,
        dash: [5, 4],
      });
    }
  }
}

/** Values that are not finite: a triangle at the edge that an infinity is beyond, a cross at the bottom for NaN. */
function edgeMarks({ entries, plot }: Figure, painter: Painter): void {
  const bottom = plot.top + plot.height;
  for (const { trace, line } of entries) {
    const stroke: Stroke = { color: line.color, width: 1.5 };
    for (const { x, kind } of trace.marks) {
      if (kind === 'up') painter.polygon([x - 4, plot.top + 7, x + 4, plot.top + 7, x, plot.top], line.color);
      else if (kind === 'down') painter.polygon([x - 4, bottom - 7, x + 4, bottom - 7, x, bottom], line.color);
      else {
        painter.segment(x - 3, bottom - 8, x + 3, bottom - 2, stroke);
        painter.segment(x - 3, bottom - 2, x + 3, bottom - 8, stroke);
      }
    }
  }
}

const APART = 12; // pixels from one arrow of a line to the next

/** Where a line leaves the plot for what is clipped: an arrow in its colour at that edge. */
function arrows({ entries, plot }: Figure, painter: Painter): void {
  const bottom = plot.top + plot.height;
  for (const {
    trace: { points, starts, end, dots: alone },
    line: { role, color },
  } of entries) {
    if (role === 'raw') continue;
    const stroke: Stroke = { color, width: 1.5 };
    let last = -Infinity;
    const draw = (x: number, y: number): void => {
      if ((y >= plot.top - 1 && y <= bottom + 1) || x < plot.left || x > plot.left + plot.width) return;
      if (Math.abs(x - last) < APART) return;
      last = x;
      const [tip, down] = y < plot.top ? [plot.top + 1, 1] : [bottom - 1, -1];
      painter.segment(x - 4, tip + 5 * down, x, tip, stroke);
      painter.segment(x + 4, tip + 5 * down, x, tip, stroke);
    };
    const begins = new Set(starts);
    for (let i = 0; i < end; i++) {
      const [x, y] = [points[2 * i] as number, points[2 * i + 1] as number];
      const before = begins.has(i) ? NaN : (points[2 * i - 1] as number);
      if (!(before < plot.top - 1 || before > bottom + 1)) draw(x, y); // it was inside, or begins here
    }
    for (let i = 0; i + 1 < alone.length; i += 2) draw(alone[i] as number, alone[i + 1] as number);
  }
}

function axes(figure: Figure, painter: Painter, colors: Palette): void {
  const { plot, x, y, yRight, props, size } = figure;
  const [bottom, right] = [plot.top + plot.height, plot.left + plot.width];
  const stroke: Stroke = { color: colors.axis, width: painter.hairline };
  painter.segment(plot.left, bottom, right, bottom, stroke);
  if (yRight) painter.segment(right, plot.top, right, bottom, stroke);
  if (size.sheet || figure.yTicks.some((tick) => tick.minor))
    painter.segment(plot.left, plot.top, plot.left, bottom, stroke);
  minorTicks(figure, painter, stroke);
  for (const tick of figure.yTicks) {
    if (tick.label)
      painter.text(plot.left - 6, y.toPixel(tick.value), tick.label, {
        color: colors.faint,
        align: 'right',
        maxWidth: plot.left - 8,
      });
  }
  for (const tick of figure.yRightTicks) {
    if (tick.label && yRight)
      painter.text(right + 6, yRight.toPixel(tick.value), tick.label, {
        color: colors.faint,
        maxWidth: size.width - right - 8,
      });
  }
  for (const tick of figure.xTicks) {
    const px = textPlace(x.toPixel(tick.value), tick.label, [0, size.width]);
    if (tick.label) painter.text(px, bottom + 6, tick.label, { color: colors.faint, align: 'center', baseline: 'top' });
  }
  if (size.sheet) return drawSheetTexts(figure, size.sheet, painter, colors);
  if (yRight || namesX(props, size)) {
    painter.text(plot.left - 46, plot.top - 11, props.yLabel, {
      color: colors.text,
      maxWidth: plot.width / (yRight ? 2 : 1) + 40,
    });
    if (yRight && props.yRightLabel) {
      painter.text(size.width - 8, plot.top - 11, props.yRightLabel, {
        color: colors.text,
        align: 'right',
        maxWidth: plot.width / 2 + 40,
      });
    }
  }
  if (namesX(props, size)) painter.text(right, bottom + 30, props.xLabel, { color: colors.text, align: 'right' });
  if (figure.leftOut > 0) {
    const taken = namesX(props, size) ? estimatedWidth(props.xLabel, 11) + 12 : 0;
    painter.text(plot.left, bottom + 30, leftOutText(figure), {
      color: colors.faint,
      maxWidth: plot.width - taken,
    });
  }
}

const MINOR = 4; // pixels

function minorTicks(
  { plot, x, y, yRight, xTicks, yTicks, yRightTicks }: Figure,
  painter: Painter,
  stroke: Stroke,
): void {
  const [bottom, right] = [plot.top + plot.height, plot.left + plot.width];
  for (const tick of xTicks) {
    if (tick.minor) painter.segment(x.toPixel(tick.value), bottom - MINOR, x.toPixel(tick.value), bottom, stroke);
  }
  for (const tick of yTicks) {
    if (tick.minor) painter.segment(plot.left, y.toPixel(tick.value), plot.left + MINOR, y.toPixel(tick.value), stroke);
  }
  for (const tick of yRightTicks) {
    const at = tick.minor && yRight ? yRight.toPixel(tick.value) : NaN;
    if (at >= plot.top) painter.segment(right - MINOR, at, right, at, stroke);
  }
}
