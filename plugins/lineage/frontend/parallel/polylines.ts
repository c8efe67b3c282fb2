import { fitBitmap, type PixelSize } from '@insight-host/kit';
import { piecesOf, type Stops } from './geometry';

/**
 * Lines of thousands of rows on a canvas: some at once, the rest a frame at a time, so that the hand is never kept
 * waiting.
 */

interface Picture extends Stops {
  /** Rows to draw, the first ones first. */
  readonly rows: Int32Array;
  readonly palette: readonly string[];
  /** By place in the palette, lengths of dashes and gaps; solid where it has none. */
  readonly dashes?: readonly (readonly number[])[];
  /** By row, a place in the palette. */
  readonly codes: ArrayLike<number>;
  readonly opacity: number;
  readonly lineWidth: number;
}

const FEW = 60; // lines that are drawn in full strength
const SLICE = 400; // rows between two looks at the clock
const PATIENCE = 9; // ms of a frame

export class Polylines {
  private frame = 0;

  constructor(readonly canvas: HTMLCanvasElement) {}

  draw(picture: Picture, size: PixelSize): void {
    cancelAnimationFrame(this.frame);
    const { canvas } = this;
    const { columns, rows, ratio } = size;
    fitBitmap(canvas, size);
    const context = canvas.getContext('2d');
    if (!context) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, columns, rows);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    delete canvas.dataset['complete'];
    let next = 0;
    const go = (): void => {
      const end = performance.now() + PATIENCE;
      while (next < picture.rows.length && performance.now() < end) {
        strokeRows(context, picture, next, Math.min(picture.rows.length, next + SLICE));
        next += SLICE;
      }
      if (next < picture.rows.length) this.frame = requestAnimationFrame(go);
      else canvas.dataset['complete'] = '1';
    };
    go();
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
  }
}

/** Rows of a colour are one path: strokes cost more than lines. */
function strokeRows(context: CanvasRenderingContext2D, picture: Picture, from: number, to: number): void {
  const { rows, palette, dashes, codes, opacity, lineWidth } = picture;
  context.globalAlpha = opacity;
  context.lineWidth = lineWidth;
  context.lineJoin = 'round';
  const byColor: number[][] = palette.map(() => []);
  for (let at = from; at < to; at++) byColor[codes[rows[at] as number] as number]?.push(rows[at] as number);
  byColor.forEach((own, code) => {
    if (own.length === 0) return;
    context.strokeStyle = palette[code] as string;
    context.setLineDash([...(dashes?.[code] ?? [])]);
    context.beginPath();
    for (const row of own)
      for (const piece of piecesOf(picture, row)) {
        context.moveTo(piece[0] as number, piece[1] as number);
        for (let at = 2; at < piece.length; at += 2) context.lineTo(piece[at] as number, piece[at + 1] as number);
      }
    context.stroke();
  });
}

/**
 * The rows of a mask in an order without meaning, the same each time: whatever part of them is drawn looks like all.
 */
export function scattered(mask: Uint8Array): Int32Array {
  const order = permutation(mask.length);
  return order.filter((row) => mask[row] === 1);
}

let known = new Int32Array();
function permutation(size: number): Int32Array {
  if (known.length === size) return known;
  known = Int32Array.from({ length: size }, (_, row) => row);
  let seed = 1;
  for (let at = size - 1; at > 0; at--) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    const other = Math.floor((seed / 2 ** 32) * (at + 1));
    [known[at], known[other]] = [known[other] as number, known[at] as number];
  }
  return known;
}

/** Many lines are fainter each. */
export function opacityOf(rows: number): number {
  return rows <= FEW ? 0.85 : Math.max(0.05, 0.85 * Math.sqrt(FEW / rows));
}

/** Pixels of a line. */
export const widthOf = (rows: number): number => (rows <= FEW ? 1.6 : 1);
