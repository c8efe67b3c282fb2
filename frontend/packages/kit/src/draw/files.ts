import type { Theme } from '@insight-host/api';
import { canvasFile } from '@insight-host/kit/lab';
import { TITLE, type Size } from './area';
import { CanvasPainter } from './canvas_painter';
import { legendHeight } from './legend';
import { type Painter, palette, type Palette } from './painter';
import { SvgPainter } from './svg_painter';

export interface Caption {
  readonly title: string;
  readonly description: string;
  readonly theme: Theme;
}

/** A chart that can be laid out for any size, and drawn. */
export interface Drawing<Figure> {
  /** Pixels of the plot's height in a file, at least. */
  readonly leastHeight: number;
  caption(): Caption;
  /** What the legend of a file says. */
  legend(): readonly string[];
  layOut(size: Size): Figure;
  draw(figure: Figure, painter: Painter, colors: Palette): void;
}

const LEAST_WIDTH = 640;
const AXIS_LABELS = 38; // pixels

/** The drawing as a file, with title, axis labels and legend; the plot is as large as on a screen of this size. */
export function svgOf<Figure>(drawing: Drawing<Figure>, screen: Size): string {
  const { title, description, theme } = drawing.caption();
  const size = sheetSize(drawing, screen, 1);
  const painter = new SvgPainter(size.width, size.height, title, description);
  const colors = palette(theme);
  painter.rectangle(0, 0, size.width, size.height, colors.surface);
  drawing.draw(drawing.layOut(size), painter, colors);
  return painter.toString();
}

export function pngOf<Figure>(drawing: Drawing<Figure>, screen: Size): Promise<Blob> {
  const size = sheetSize(drawing, screen, 2);
  const { width, height, ratio } = size;
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  const painter = CanvasPainter.of(canvas, ratio);
  const colors = palette(drawing.caption().theme);
  painter.begin(width, height, colors.surface);
  drawing.draw(drawing.layOut(size), painter, colors);
  return canvasFile(canvas);
}

function sheetSize<Figure>(drawing: Drawing<Figure>, screen: Size, ratio: number): Size {
  const width = Math.max(LEAST_WIDTH, Math.round(screen.width));
  const plot = Math.max(drawing.leastHeight, Math.round(screen.height));
  return { width, height: plot + TITLE + AXIS_LABELS + legendHeight(drawing.legend(), width), ratio, labelled: true };
}
