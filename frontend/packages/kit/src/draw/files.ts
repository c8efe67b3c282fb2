import type { Theme } from '@insight-host/api';
import { canvasFile } from '@insight-host/kit';
import { TITLE, type Size } from './area';
import { CanvasPainter } from './canvas_painter';
import { legendHeight } from './legend';
import type { Painter } from './painter';
import { palette, type Palette } from './palette';
import { SvgPainter } from './svg_painter';

/** A chart exported to a file, with title, axis labels and legend. */
export interface Sheet {
  readonly size: Size;
  draw(painter: Painter, colors: Palette): void;
}

export interface Caption {
  readonly title: string;
  readonly description: string;
  readonly theme: Theme;
}

const LEAST_WIDTH = 640;
const AXIS_LABELS = 38; // pixels

/** Of a sheet with the same plot as on the screen, which is at least `least` pixels high. */
export function sheetSize(screen: Size, least: number, labels: readonly string[], ratio: number): Size {
  const width = Math.max(LEAST_WIDTH, Math.round(screen.width));
  const height = Math.max(least, Math.round(screen.height)) + TITLE + AXIS_LABELS + legendHeight(labels, width);
  return { width, height, ratio, labelled: true };
}

export function svgOf({ size: { width, height }, draw }: Sheet, { title, description, theme }: Caption): string {
  const painter = new SvgPainter(width, height, title, description);
  const colors = palette(theme);
  painter.rectangle(0, 0, width, height, colors.surface);
  draw(painter, colors);
  return painter.toString();
}

export function pngOf({ size: { width, height, ratio }, draw }: Sheet, { theme }: Caption): Promise<Blob> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  const painter = CanvasPainter.of(canvas, ratio);
  const colors = palette(theme);
  painter.begin(width, height, colors.surface);
  draw(painter, colors);
  return canvasFile(canvas);
}
