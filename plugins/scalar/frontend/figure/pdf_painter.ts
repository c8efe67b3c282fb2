/** Draws as the content of a PDF page. */
import { rgbOf, visibleText } from '@insight-host/kit';
import type { Painter, Polylines, Stroke, TextStyle } from '@insight-host/kit/draw';
import { FONTS, runsOf, type Run } from './pdf_fonts';
import type { FontFamily } from './style';

/** Letters as a stencil: rows of bits, where 1 is ink, each row of whole bytes. */
export interface Stencil {
  readonly columns: number;
  readonly rows: number;
  readonly bits: Uint8Array;
  /** Width, height and depth below the line, in units of the size of the font. */
  readonly width: number;
  readonly height: number;
  readonly depth: number;
}

/** Draws letters that the fonts of PDF do not have; null where they cannot be drawn. */
export type Stencils = (text: string, isBold: boolean) => Stencil | null;

/** What a page needs, for `pdfFile`. */
export interface PdfPage {
  /** In points. */
  readonly width: number;
  readonly height: number;
  readonly content: string;
  /** By their names, the letters of fonts: F1 is plain, F2 bold, F3 Symbol. */
  readonly fonts: readonly string[];
  /** Opacities, by name. */
  readonly alphas: ReadonlyMap<string, number>;
  /** Stencils, by name. */
  readonly stencils: ReadonlyMap<string, Stencil>;
}

const ROUND = 0.5523; // of a circle of four curves
const RAISED = 0.36; // of the size of the font

export class PdfPainter implements Painter {
  readonly hairline = 0.7;
  private readonly parts: string[] = ['2 j\n'];
  private readonly alphas = new Map<string, number>();
  private readonly stencils = new Map<string, Stencil>();

  /** `scale`: points of a pixel. */
  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly scale: number,
    private readonly family: FontFamily,
    private readonly stencilOf: Stencils,
  ) {}

  polylines({ points, starts, end }: Polylines, stroke: Stroke): void {
    const path: string[] = [];
    for (let s = 0; s < starts.length; s++) {
      const [from, to] = [starts[s] as number, starts[s + 1] ?? end];
      if (to - from < 2) continue;
      for (let i = from; i < to; i++)
        path.push(
          `${short(points[2 * i] as number)} ${short(points[2 * i + 1] as number)} ${i === from ? 'm' : 'l'}\n`,
        );
    }
    if (path.length > 0) this.stroked(path.join(''), stroke);
  }

  segment(x1: number, y1: number, x2: number, y2: number, stroke: Stroke): void {
    this.stroked(`${short(x1)} ${short(y1)} m ${short(x2)} ${short(y2)} l\n`, stroke);
  }

  polygon(points: Float64Array | readonly number[], color: string, alpha = 1): void {
    const path: string[] = [];
    for (let i = 0; i + 1 < points.length; i += 2)
      path.push(`${short(points[i] as number)} ${short(points[i + 1] as number)} ${i === 0 ? 'm' : 'l'}\n`);
    if (path.length > 2) this.parts.push(`q ${this.opacity(alpha)}${inks(color)} rg\n${path.join('')}h f Q\n`);
  }

  circle(x: number, y: number, radius: number, color: string): void {
    const k = radius * ROUND;
    const curve = (...numbers: number[]): string => `${numbers.map(short).join(' ')} c\n`;
    this.parts.push(
      `${inks(color)} rg ${short(x + radius)} ${short(y)} m\n`,
      curve(x + radius, y + k, x + k, y + radius, x, y + radius),
      curve(x - k, y + radius, x - radius, y + k, x - radius, y),
      curve(x - radius, y - k, x - k, y - radius, x, y - radius),
      curve(x + k, y - radius, x + radius, y - k, x + radius, y),
      'f\n',
    );
  }

  rectangle(x: number, y: number, width: number, height: number, color: string): void {
    this.parts.push(`${inks(color)} rg ${[x, y, width, height].map(short).join(' ')} re f\n`);
  }

  text(x: number, y: number, name: string, style: TextStyle): void {
    const size = style.size ?? 11;
    const isBold = style.weight === 'bold';
    const pieces = runsOf(visibleText(name), FONTS[this.family][isBold ? 1 : 0]).flatMap((run) =>
      this.piece(run, isBold),
    );
    const width = size * pieces.reduce((sum, piece) => sum + piece.width, 0);
    const fit = Math.min(1, (style.maxWidth ?? Infinity) / width);
    const before = { left: 0, center: 0.5, right: 1 }[style.align ?? 'left'] * width * fit;
    const down = { top: 0.8, middle: 0.35, bottom: -0.2 }[style.baseline ?? 'middle'] * size;
    const matrix = style.turned ? [0, -fit, -1, 0, x + down, y + before] : [fit, 0, 0, -1, x - before, y + down];
    let at = 0;
    const drawn = pieces.map((piece) => {
      const text = piece.draw(at, size);
      at += size * piece.width;
      return text;
    });
    this.parts.push(`q ${matrix.map(short).join(' ')} cm ${inks(style.color)} rg\n${drawn.join('')}Q\n`);
  }

  clipped(x: number, y: number, width: number, height: number, draw: () => void): void {
    this.parts.push(`q ${[x, y, width, height].map(short).join(' ')} re W n\n`);
    draw();
    this.parts.push('Q\n');
  }

  page(): PdfPage {
    const { width, height, scale, alphas, stencils } = this;
    return {
      width,
      height,
      content: `${exact(scale)} 0 0 ${exact(-scale)} 0 ${exact(height)} cm\n${this.parts.join('')}`,
      fonts: [...FONTS[this.family], 'Symbol'],
      alphas,
      stencils,
    };
  }

  /** Draws a part of a text at a place in it; the line is at 0 and up is positive. */
  private piece(run: Run, isBold: boolean): { width: number; draw: (at: number, size: number) => string }[] {
    if ('codes' in run) {
      const { symbol, codes, scale, width } = run;
      const font = symbol ? 'F3' : isBold ? 'F2' : 'F1';
      const hex = codes.map((code) => code.toString(16).padStart(2, '0')).join('');
      const draw = (at: number, size: number): string =>
        `BT /${font} ${short(size * scale)} Tf ${short(at)} ${scale < 1 ? short(RAISED * size) : 0} Td ` +
        `<${hex}> Tj ET\n`;
      return [{ width, draw }];
    }
    const stencil = this.stencilOf(run.other, isBold);
    if (!stencil) return [];
    const name = `M${this.stencils.size}`;
    this.stencils.set(name, stencil);
    const draw = (at: number, size: number): string => {
      const box = [stencil.width * size, 0, 0, stencil.height * size, at, -stencil.depth * size];
      return `q ${box.map(short).join(' ')} cm /${name} Do Q\n`;
    };
    return [{ width: stencil.width, draw }];
  }

  private stroked(path: string, { color, width, dash, alpha = 1 }: Stroke): void {
    const dashes = dash?.length ? `[${dash.map(short).join(' ')}] 0 d ` : '';
    this.parts.push(`q ${this.opacity(alpha)}${inks(color)} RG ${short(width)} w ${dashes}\n${path}S Q\n`);
  }

  private opacity(alpha: number): string {
    if (alpha >= 1) return '';
    const name = `A${Math.round(alpha * 1000)}`;
    this.alphas.set(name, alpha);
    return `/${name} gs `;
  }
}

function inks(color: string): string {
  return rgbOf(color)
    .map((byte) => short(byte / 255))
    .join(' ');
}

/** PDF knows no exponents. */
function short(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

function exact(value: number): string {
  return value.toFixed(6);
}
