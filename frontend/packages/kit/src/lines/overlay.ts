import type { Cursor, Mark } from './props';
import type { Area, Palette } from '@insight-host/kit/draw';
import { estimatedWidth, ordered, type Painter } from '@insight-host/kit/draw';
import type { Figure } from './layout';

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
