/** A drawing as a file: an SVG document, or pixels. */
import type { Theme } from '@insight-host/api';
import { canvasFile, visibleText } from '@insight-host/kit/lab';
import { TITLE, type Size } from './area';
import { CanvasPainter } from './canvas_painter';
import { legendHeight } from './legend';
import {
  estimatedWidth,
  FONT,
  palette,
  type Painter,
  type Palette,
  type Polylines,
  type Stroke,
  type TextStyle,
} from './painter';

/** Writes the picture as a self-contained SVG document. */
export class SvgPainter implements Painter {
  readonly hairline = 1;
  private readonly parts: string[] = [];
  private clips = 0;

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly title: string,
    private readonly description: string,
    private readonly font = FONT,
    /** Of the document on paper: `8.5cm`. */
    private readonly paper: readonly [width: string, height: string] = [String(width), String(height)],
  ) {}

  polylines(lines: Polylines, stroke: Stroke): void {
    const { points, starts, end } = lines;
    const path: string[] = [];
    for (let s = 0; s < starts.length; s++) {
      const from = starts[s] as number;
      const to = starts[s + 1] ?? end;
      if (to - from < 2) continue;
      for (let i = from; i < to; i++)
        path.push(`${i === from ? 'M' : 'L'}${short(points[2 * i] as number)} ${short(points[2 * i + 1] as number)}`);
    }
    if (path.length > 0)
      this.parts.push(`<path d="${path.join('')}" fill="none" stroke-linejoin="bevel"${strokeText(stroke)}/>`);
  }

  segment(x1: number, y1: number, x2: number, y2: number, stroke: Stroke): void {
    this.parts.push(
      `<line x1="${short(x1)}" y1="${short(y1)}" x2="${short(x2)}" y2="${short(y2)}"${strokeText(stroke)}/>`,
    );
  }

  polygon(points: Float64Array | readonly number[], color: string, alpha = 1): void {
    const pairs: string[] = [];
    for (let i = 0; i + 1 < points.length; i += 2)
      pairs.push(`${short(points[i] as number)},${short(points[i + 1] as number)}`);
    this.parts.push(
      `<polygon points="${pairs.join(' ')}" fill="${escape(color)}"${alpha < 1 ? ` fill-opacity="${alpha}"` : ''}/>`,
    );
  }

  circle(x: number, y: number, radius: number, color: string): void {
    this.parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${radius}" fill="${escape(color)}"/>`);
  }

  rectangle(x: number, y: number, width: number, height: number, color: string): void {
    this.parts.push(
      `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ` +
        `fill="${escape(color)}"/>`,
    );
  }

  text(x: number, y: number, name: string, style: TextStyle): void {
    const text = visibleText(name);
    const size = style.size ?? 11;
    const anchor = { left: 'start', center: 'middle', right: 'end' }[style.align ?? 'left'];
    // viewers disagree on dominant-baseline
    const shift = { top: 0.8, middle: 0.35, bottom: -0.2 }[style.baseline ?? 'middle'] * size;
    const wide = style.maxWidth !== undefined && estimatedWidth(text, size) > style.maxWidth;
    const fit = wide ? ` textLength="${short(style.maxWidth ?? 0)}" lengthAdjust="spacingAndGlyphs"` : '';
    const turn = style.turned ? ` transform="rotate(-90 ${short(x)} ${short(y)})"` : '';
    const weight = style.weight === 'bold' ? ' font-weight="600"' : '';
    this.parts.push(
      `<text x="${short(x)}" y="${short(y + shift)}" font-size="${size}" text-anchor="${anchor}" ` +
        `fill="${escape(style.color)}"${weight}${fit}${turn}>${escape(text)}</text>`,
    );
  }

  clipped(x: number, y: number, width: number, height: number, draw: () => void): void {
    const id = `clip${this.clips++}`;
    this.parts.push(
      `<clipPath id="${id}"><rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"/>` +
        `</clipPath><g clip-path="url(#${id})">`,
    );
    draw();
    this.parts.push('</g>');
  }

  toString(): string {
    const { width, height, paper, font } = this;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${paper[0]}" height="${paper[1]}" ` +
      `viewBox="0 0 ${short(width)} ${short(height)}" role="img" font-family="${escape(font)}">` +
      `<title>${escape(this.title)}</title><desc>${escape(this.description)}</desc>${this.parts.join('')}</svg>`
    );
  }
}

function strokeText(stroke: Stroke): string {
  const dash = stroke.dash?.length ? ` stroke-dasharray="${stroke.dash.join(' ')}"` : '';
  const alpha = stroke.alpha !== undefined && stroke.alpha < 1 ? ` stroke-opacity="${stroke.alpha}"` : '';
  return ` stroke="${escape(stroke.color)}" stroke-width="${short(stroke.width)}"${dash}${alpha}`;
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

// Characters that XML 1.0 forbids even when escaped: file names may hold them.
// surrogates without their other half
const FORBIDDEN = /[\p{Surrogate}\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu;

export function escape(text: string): string {
  return text
    .replace(FORBIDDEN, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}

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
