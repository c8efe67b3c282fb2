/** A chart as the files of a figure, and the numbers that it shows. */
import { canvasFile, csvOf, visibleText, type CsvCell } from '@insight-host/kit';
import { CanvasPainter, isoTime, SvgPainter } from '@insight-host/kit/draw';
import { drawSheet, type Line, type LineChartProps } from '@insight-host/kit/lines';
import { PAPER, paperOf, scaleOf, sizeOf, type FigureStyle, type FontFamily } from './style';

const DOTS_PER_INCH = 300;

/** Families of the letters, as CSS has them. */
const FAMILY: Readonly<Record<FontFamily, string>> = {
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

const HEAD = 33; // bytes of the signature and the first chunk, IHDR

/** The PNG with a chunk `pHYs`, which must come before its pixels. */
export function withDensity(png: Uint8Array, dotsPerInch: number): Uint8Array<ArrayBuffer> {
  const perMetre = Math.round(dotsPerInch / 0.0254);
  const chunk = new Uint8Array(21);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, 9);
  chunk.set([0x70, 0x48, 0x59, 0x73], 4);
  view.setUint32(8, perMetre);
  view.setUint32(12, perMetre);
  chunk[16] = 1; // metres
  view.setUint32(17, checksum(chunk.subarray(4, 17)));
  const out = new Uint8Array(png.length + chunk.length);
  out.set(png.subarray(0, HEAD));
  out.set(chunk, HEAD);
  out.set(png.subarray(HEAD), HEAD + chunk.length);
  return out;
}

/** CRC-32 of PNG. */
function checksum(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return (rest ^ 0xffffffff) >>> 0;
}

/** Whether a point is in the window. */
function isSeen({ xWindow }: LineChartProps, x: number): boolean {
  return Number.isFinite(x) && (!xWindow || (x >= xWindow[0] && x <= xWindow[1]));
}

/** Indices of the points of a line that are seen. */
export function seenOf(props: LineChartProps, { x }: Line): number[] {
  return Array.from({ length: x.length }, (_, i) => i).filter((i) => isSeen(props, x[i] as number));
}

/** How many values have no place on a logarithmic axis. */
export function leftOut(props: LineChartProps): number {
  if (!props.logY) return 0;
  const mains = props.lines.filter(({ role }) => role !== 'raw');
  return mains.reduce(
    (sum, line) => sum + seenOf(props, line).filter((i) => isNotPositive(line.y[i] as number)).length,
    0,
  );
}

const isNotPositive = (y: number): boolean => y <= 0 && Number.isFinite(y);

/** A row for each point of each line; `say` gives the texts of heads. */
export function seenCsv(props: LineChartProps, say: (key: string) => string): string {
  const { lines } = props;
  const hasBands = lines.some(({ band }) => band);
  const hasRaw = lines.some(({ role }) => role === 'raw');
  const timeOf = (x: number): CsvCell => (props.xKind === 'wall' ? (isoTime(x) ?? x) : x);
  const head = [
    say('figure.line'),
    props.xLabel || say('limits.x'),
    say('tooltip.value'),
    ...(hasBands ? [say('chart.low'), say('chart.high')] : []),
    ...(hasRaw ? [say('figure.raw')] : []),
  ];
  const rows = lines.flatMap((line) =>
    seenOf(props, line).map((i): CsvCell[] => [
      line.label,
      timeOf(line.x[i] as number),
      line.y[i] as number,
      ...(hasBands ? [line.band?.low[i] ?? null, line.band?.high[i] ?? null] : []),
      ...(hasRaw ? [line.role === 'raw' ? 1 : 0] : []),
    ]),
  );
  return csvOf([head, ...rows]);
}
