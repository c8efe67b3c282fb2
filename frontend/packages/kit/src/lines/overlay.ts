import type { Cursor, Mark } from './props';
import { type Area, type Palette, estimatedWidth, ordered, type Painter } from '@insight-host/kit/draw';
import type { Figure, Entry } from './layout';
import { lowerBound, pieces, upperBound } from './extent';

/** The overlay that moves with the pointer: cursor and marks. */
export interface Overlay {
  readonly cursor: Cursor | null;
  readonly linkedX: number | null;
  readonly selection: Selection | null;
  /** Names of runs. */
  readonly hovered: ReadonlySet<string>;
}

export interface Selection {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
}

const THIN = 10; // pixels; a box flatter than this selects along one axis only

/** The part of the plot that a drag selects; an axis along which it hardly moved is taken whole. */
export function selectedArea(
  selection: Selection,
  plot: Area,
): Area & { readonly wholeX: boolean; readonly wholeY: boolean } {
  const clampX = (v: number): number => Math.max(plot.left, Math.min(plot.left + plot.width, v));
  const clampY = (v: number): number => Math.max(plot.top, Math.min(plot.top + plot.height, v));
  const [x1, x2] = ordered(clampX(selection.from[0]), clampX(selection.to[0]));
  const [y1, y2] = ordered(clampY(selection.from[1]), clampY(selection.to[1]));
  const [width, height] = [x2 - x1, y2 - y1];
  const wholeY = height < THIN && width >= height;
  const wholeX = width < THIN && height > width;
  return {
    left: wholeX ? plot.left : x1,
    width: wholeX ? plot.width : width,
    top: wholeY ? plot.top : y1,
    height: wholeY ? plot.height : height,
    wholeX,
    wholeY,
  };
}

export function drawOverlay(figure: Figure, overlay: Overlay, painter: Painter, colors: Palette): void {
  const { plot, x } = figure;
  const { cursor, selection } = overlay;
  drawHovered(figure, overlay.hovered, painter, colors);
  if (selection) {
    const area = selectedArea(selection, plot);
    painter.polygon(
      [
        area.left,
        area.top,
        area.left + area.width,
        area.top,
        area.left + area.width,
        area.top + area.height,
        area.left,
        area.top + area.height,
      ],
      colors.accent,
      0.14,
    );
    for (const px of [area.left, area.left + area.width])
      painter.segment(px, area.top, px, area.top + area.height, { color: colors.accent, width: 1 });
    for (const py of [area.top, area.top + area.height])
      painter.segment(area.left, py, area.left + area.width, py, { color: colors.accent, width: 1 });
    return;
  }
  const px = cursor ? cursor.px : overlay.linkedX !== null ? x.toPixel(overlay.linkedX) : NaN;
  if (!(px >= plot.left && px <= plot.left + plot.width)) return;
  painter.segment(px, plot.top, px, plot.top + plot.height, { color: colors.faint, width: painter.hairline });
  if (!cursor) return;
  if (!figure.props.dots) nearestDots(figure, cursor, painter, colors);
  markText(figure, marksAt(figure.props.marks ?? [], cursor.reach), painter, colors);
}

function nearestDots({ plot, x, entries }: Figure, cursor: Cursor, painter: Painter, colors: Palette): void {
  painter.clipped(plot.left - 4, plot.top - 4, plot.width + 8, plot.height + 8, () => {
    for (const point of cursor.nearest.slice(0, 50)) {
      const entry = entries.find((e) => e.line.id === point.id && e.line.role !== 'raw');
      const [cx, cy] = [x.toPixel(point.x), entry?.scale.toPixel(point.y) ?? NaN];
      if (!entry || !Number.isFinite(cy)) continue;
      painter.circle(cx, cy, 4, colors.surface);
      painter.circle(cx, cy, 3, entry.line.color);
    }
  });
}

/** Lines of hovered runs, thick, over a veil on all others. */
function drawHovered({ plot, entries }: Figure, hovered: ReadonlySet<string>, painter: Painter, colors: Palette): void {
  const found = entries.filter(({ line }) => line.role !== 'raw' && line.runs?.some((run) => hovered.has(run)));
  if (found.length === 0) return;
  const { left, top, width, height } = plot;
  painter.clipped(left, top, width, height, () => {
    painter.polygon(
      [left, top, left + width, top, left + width, top + height, left, top + height],
      colors.surface,
      0.7,
    );
    for (const { line, trace } of found) {
      const { color, dash } = line;
      painter.polylines(trace, { color, width: 3, ...(dash ? { dash } : {}) });
      for (let i = 0; i + 1 < trace.dots.length; i += 2)
        painter.circle(trace.dots[i] as number, trace.dots[i + 1] as number, 4, color);
    }
  });
}

const WITHIN = 4; // pixels

export function reach({ x }: Figure, px: number): Cursor['reach'] {
  return [x.toValue(px - WITHIN), x.toValue(px + WITHIN)];
}

/** The marks at a place that was read off a chart. */
export function marksAt<M extends Mark>(marks: readonly M[], [from, to]: Cursor['reach']): readonly M[] {
  return marks.filter(({ x }) => x >= from && x <= to);
}

/** Says what the marks at the pointer are, over the labels of the x axis rather than over curves. */
function markText({ x, plot, size }: Figure, marks: readonly Mark[], painter: Painter, colors: Palette): void {
  const [mark] = marks;
  if (!mark) return;
  const text = marks.map((one) => one.text).join(' · ');
  const top = plot.top + plot.height + 2;
  const width = Math.min(size.width, estimatedWidth(text, 11) + 12);
  const left = Math.max(0, Math.min(size.width - width, x.toPixel(mark.x) - width / 2));
  painter.rectangle(left, top, width, 18, colors.surface);
  painter.segment(left, top + 18, left + width, top + 18, { color: mark.color, width: 1 });
  painter.text(left + width / 2, top + 9, text, { color: colors.text, align: 'center', maxWidth: width - 8 });
}

type Point = Cursor['nearest'][number];

/** For each main line the point nearest to a pixel in x, sorted by distance. */
export function nearest(figure: Figure, px: number, py: number): Cursor['nearest'] {
  const found: Point[] = [];
  for (const entry of figure.entries) {
    if (entry.line.role === 'raw') continue;
    const point = nearestOf(entry, figure, px, py);
    if (point) found.push(point);
  }
  return found.sort((a, b) => a.distance - b.distance);
}

function nearestOf({ line, scale }: Entry, figure: Figure, px: number, py: number): Point | null {
  const { plot } = figure;
  const at = figure.x.toValue(px);
  let best: Point | null = null;
  let bestAcross = Infinity;
  for (const { start, end, sorted } of pieces(line)) {
    const middle = sorted ? lowerBound(line.x, at, start, end) : start;
    const [from, to] = sorted ? [Math.max(start, middle - 1), Math.min(end, middle + 1)] : [start, end];
    for (let i = from; i < to; i++) {
      const x = figure.x.toPixel(line.x[i] as number);
      if (!(x >= plot.left - 1 && x <= plot.left + plot.width + 1)) continue;
      const across = Math.abs(x - px);
      const distance = Math.hypot(across, pixelOf(scale, plot, line.y[i] as number) - py);
      const tie = Math.abs(across - bestAcross) <= 0.01;
      if (tie ? best !== null && distance >= best.distance : across > bestAcross) continue;
      best = { id: line.id, index: i, x: line.x[i] as number, y: line.y[i] as number, distance };
      bestAcross = across;
    }
  }
  return best;
}

/** Where a value is drawn, within reach of the plot; what the axis cannot show sits at the bottom. */
function pixelOf(scale: Entry['scale'], plot: Area, value: number): number {
  const pixel = scale.toPixel(value);
  if (Number.isNaN(pixel)) return plot.top + plot.height;
  return Math.max(plot.top - 1000, Math.min(plot.top + plot.height + 1000, pixel));
}

/** The nearest x of any main line beyond `from`, or with `orAt` at it, in a direction; null at the end. */
export function neighbourX(figure: Figure, from: number, direction: 1 | -1, orAt = false): number | null {
  let best: number | null = null;
  const [lo, hi] = figure.x.domain;
  for (const { line } of figure.entries) {
    if (line.role === 'raw') continue;
    for (const { start, end, sorted } of pieces(line)) {
      const bound = (direction === 1) === orAt ? lowerBound : upperBound;
      const i = bound(line.x, from, start, end) - (direction === 1 ? 0 : 1);
      const [first, last] = sorted ? [Math.max(start, i), Math.min(end, i + 1)] : [start, end];
      for (let at = first; at < last; at++) {
        const x = line.x[at] as number;
        const isBeyond = (orAt && x === from) || (direction === 1 ? x > from : x < from);
        if (isBeyond && x >= lo && x <= hi && (best === null || (direction === 1 ? x < best : x > best))) best = x;
      }
    }
  }
  return best;
}
