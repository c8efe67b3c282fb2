/** A chart as the files of a figure. */
import { canvasFile, visibleText } from '@insight-host/kit';
import { CanvasPainter, SvgPainter } from '@insight-host/kit/draw';
import { drawSheet, type LineChartProps } from '@insight-host/kit/lines';
import { withDensity } from './png_density';
import { PAPER, paperOf, scaleOf, sizeOf, type FigureStyle, type FontFamily } from './style';

export const DOTS_PER_INCH = 300;

/** Families of the letters, as CSS has them. */
export const FAMILY: Readonly<Record<FontFamily, string>> = {
  sans: 'Helvetica, Arial, "Liberation Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif',
  serif: '"Times New Roman", Times, "Liberation Serif", "Noto Serif CJK SC", "Songti SC", SimSun, serif',
  mono: '"Courier New", Courier, "Liberation Mono", "Noto Sans Mono CJK SC", monospace',
};

/** Those of PDF: every viewer has them. */
const PDF_FAMILY: Readonly<Record<FontFamily, string>> = { sans: 'helvetica', serif: 'times', mono: 'courier' };

export function svgFigure(props: LineChartProps, style: FigureStyle): Blob {
  return new Blob([svgText(props, style, 1, FAMILY[style.family])], { type: 'image/svg+xml' });
}

export async function pdfFigure(props: LineChartProps, style: FigureStyle): Promise<Blob> {
  const { pdfOf } = await import('./pdf');
  const svg = svgText(props, style, 4, PDF_FAMILY[style.family]); // four points a point: 288 dpi
  return pdfOf(svg, paperOf(style), visibleText(props.title, true), FAMILY[style.family]);
}

function svgText(props: LineChartProps, style: FigureStyle, ratio: number, family: string): string {
  const size = sizeOf(style, ratio);
  const paper = [`${style.width}${style.unit}`, `${style.height}${style.unit}`] as const;
  const painter = new SvgPainter(size.width, size.height, props.title, props.description, family, paper);
  painter.rectangle(0, 0, size.width, size.height, PAPER.surface);
  drawSheet(props, size, painter, PAPER);
  return painter.toString();
}

export async function pngFigure(props: LineChartProps, style: FigureStyle): Promise<Blob> {
  const canvas = document.createElement('canvas');
  paintFigure(canvas, props, style, (DOTS_PER_INCH / 72) * scaleOf(style));
  const png = await canvasFile(canvas);
  return new Blob([withDensity(new Uint8Array(await png.arrayBuffer()), DOTS_PER_INCH)], { type: 'image/png' });
}

/** Draws the figure and gives the canvas its size; `ratio`: pixels of the canvas for a pixel of the chart. */
export function paintFigure(canvas: HTMLCanvasElement, props: LineChartProps, style: FigureStyle, ratio: number): void {
  const size = sizeOf(style, ratio);
  [canvas.width, canvas.height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  const painter = CanvasPainter.of(canvas, ratio, FAMILY[style.family]);
  painter.begin(size.width, size.height, PAPER.surface);
  drawSheet(props, size, painter, PAPER);
}
