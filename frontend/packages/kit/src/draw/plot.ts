import { BOTTOM, TITLE, type Area, type Size } from './area';
import { legendHeight } from './legend';
import type { Painter } from './painter';

/** The plot within a picture: between these margins, below a title, and above labels and a legend. */
export function plotWithin(
  size: Size,
  margins: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number },
  labels: readonly string[],
): Area {
  const top = margins.top + (size.labelled ? TITLE : 0);
  const below = margins.bottom + BOTTOM + (size.labelled ? legendHeight(labels, size.width) : 0);
  return {
    left: margins.left,
    top,
    width: Math.max(10, size.width - margins.left - margins.right),
    height: Math.max(10, size.height - top - below),
  };
}

/** A dashed line from top to bottom with a small triangle at its head. */
export function drawMark(painter: Painter, { top, height }: Area, x: number, color: string): void {
  painter.segment(x, top, x, top + height, { color, width: painter.hairline, dash: [3, 3], alpha: 0.8 });
  painter.polygon([x - 4, top, x + 4, top, x, top + 5], color);
}
