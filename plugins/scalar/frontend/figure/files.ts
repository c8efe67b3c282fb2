/** A chart as the files of a figure. */
import { canvasFile, visibleText } from '@insight-host/kit';
import { CanvasPainter, SvgPainter } from '@insight-host/kit/draw';
import { drawSheet, type LineChartProps } from '@insight-host/kit/lines';
import { pdfFile } from './pdf_file';
import { PdfPainter, type Stencil, type Stencils } from './pdf_painter';
import { withDensity } from './png_density';
import { PAPER, paperOf, scaleOf, sizeOf, type FigureStyle, type FontFamily } from './style';

export const DOTS_PER_INCH = 300;

/** Families of the letters, as CSS has them. */
export const FAMILY: Readonly<Record<FontFamily, string>> = {
  sans: 'Helvetica, Arial, "Liberation Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif',
  serif: '"Times New Roman", Times, "Liberation Serif", "Noto Serif CJK SC", "Songti SC", SimSun, serif',
  mono: '"Courier New", Courier, "Liberation Mono", "Noto Sans Mono CJK SC", monospace',
};

export function svgFigure(props: LineChartProps, style: FigureStyle): Blob {
  const size = sizeOf(style, 1);
  const paper = [`${style.width}${style.unit}`, `${style.height}${style.unit}`] as const;
  const painter = new SvgPainter(size.width, size.height, props.title, props.description, FAMILY[style.family], paper);
  painter.rectangle(0, 0, size.width, size.height, PAPER.surface);
  drawSheet(props, size, painter, PAPER);
  return new Blob([painter.toString()], { type: 'image/svg+xml' });
}

export async function pdfFigure(props: LineChartProps, style: FigureStyle): Promise<Blob> {
  const [width, height] = paperOf(style);
  const painter = new PdfPainter(width, height, scaleOf(style), style.family, stencils(style.family));
  drawSheet(props, sizeOf(style, 4), painter, PAPER); // four points a point: 288 dpi
  return new Blob([await pdfFile(painter.page(), visibleText(props.title, true))], { type: 'application/pdf' });
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

const LETTERS = 128; // pixels of the letters of a stencil

/** Letters that PDF has no font for, as the browser draws them. */
function stencils(family: FontFamily): Stencils {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return (text, isBold) => {
    if (!context) return null;
    const font = `${isBold ? '600 ' : ''}${LETTERS}px ${FAMILY[family]}`;
    context.font = font;
    const columns = Math.ceil(context.measureText(text).width);
    const rows = Math.round(1.4 * LETTERS);
    if (columns === 0) return null;
    [canvas.width, canvas.height] = [columns, rows];
    context.font = font; // a canvas of another size forgets it
    context.fillText(text, 0, LETTERS);
    const bits = packed(context.getImageData(0, 0, columns, rows));
    const size = { width: columns / LETTERS, height: rows / LETTERS, depth: rows / LETTERS - 1 };
    return { columns, rows, bits, ...size };
  };
}

function packed({ width, height, data }: ImageData): Stencil['bits'] {
  const each = Math.ceil(width / 8);
  const bits = new Uint8Array(each * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if ((data[4 * (y * width + x) + 3] as number) < 128) continue;
      const at = y * each + (x >> 3);
      bits[at] = (bits[at] as number) | (128 >> (x & 7));
    }
  }
  return bits;
}
