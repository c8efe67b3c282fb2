/** A confusion matrix: the shades and texts of its cells, and the picture of it. */
import type { Theme } from '@insight-host/api';
import { mix, rgbOf, visibleText, type PixelSize } from '@insight-host/kit';
import type { ChartData } from '@insight-host/kit/table';
import type { Matrix, Share } from '../board';

/** From 0 to 1, row by row: how full each cell is. */
export function shadesOf({ counts }: Pick<Matrix, 'counts'>, share: Share): Float64Array {
  const size = counts.length;
  const columns = new Float64Array(size);
  const rows = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  for (const row of counts) for (let at = 0; at < size; at++) columns[at] = (columns[at] ?? 0) + (row[at] ?? 0);
  const most = counts.reduce((found, row) => row.reduce((larger, count) => Math.max(larger, count), found), 0);
  const shades = new Float64Array(size * size);
  counts.forEach((row, y) =>
    row.forEach((count, x) => {
      const whole = share === 'counts' ? most : share === 'rows' ? (rows[y] ?? 0) : (columns[x] ?? 0);
      shades[y * size + x] = whole > 0 ? count / whole : 0;
    }),
  );
  return shades;
}

/** A count, or a share in per cent. */
export function cellText(count: number, shade: number, share: Share, locale: string): string {
  if (share !== 'counts') return `${Math.round(100 * shade)}`;
  return Number.isInteger(count) ? count.toLocaleString(locale) : String(Number(count.toPrecision(3)));
}

/** The mean of F1 over all classes, each of the same weight. */
export function macroF1({ f1 }: Pick<Matrix, 'f1'>): number {
  return f1.reduce((sum, value) => sum + value, 0) / Math.max(1, f1.length);
}

/** Counts and measures, a row for each true class. */
export function matrixTable(matrix: Matrix, say: (key: string) => string): ChartData {
  const measures = ['support', 'precision', 'recall', 'f1'] as const;
  return {
    head: [say('confusion.class'), ...matrix.labels, ...measures.map((name) => say(`confusion.${name}`))],
    rows: matrix.labels.map((label, y) => [
      label,
      ...(matrix.counts[y] ?? []),
      ...measures.map((name) => matrix[name][y] ?? null),
    ]),
  };
}

const LETTER = 6.2; // CSS pixels, about
const [LEAST_LABEL, MOST_LABEL] = [24, 110]; // CSS pixels for names of classes
const [TITLE, LINE] = [14, 16]; // CSS pixels above the cells
const LEAST_NAMED = 11; // CSS pixels of a cell whose class is named
const LEAST_READ = 18; // CSS pixels of a cell with its count in it
const GAP = 1;

/** The place of the cells, in CSS pixels. */
interface MatrixLayout {
  readonly left: number;
  readonly top: number;
  /** The side of a cell. */
  readonly side: number;
  /** Names of columns stand upright: they are wider than a cell. */
  readonly upright: boolean;
  /** Room for the name of a row. */
  readonly named: number;
}

/** The largest square cells that fit next to the names, in the middle. */
export function layOut(
  labels: readonly string[],
  { width, height }: Pick<PixelSize, 'width' | 'height'>,
): MatrixLayout {
  const letters = labels.reduce((most, label) => Math.max(most, label.length), 0);
  const long = 8 + LETTER * letters;
  const named = Math.max(LEAST_LABEL, Math.min(MOST_LABEL, width / 4, long));
  const sideBelow = (top: number): number =>
    Math.max(0, Math.min((width - named - 16) / labels.length, (height - top - 2) / labels.length));
  const upright = sideBelow(TITLE + LINE) < long;
  const top = TITLE + (upright ? Math.max(LINE, Math.min(MOST_LABEL / 2, height / 5, long)) : LINE);
  const side = sideBelow(top);
  return { left: named + 14 + Math.max(0, (width - named - 16 - side * labels.length) / 2), top, side, upright, named };
}

/** Row and column at a place; null outside. */
export function cellAt(
  { left, top, side }: MatrixLayout,
  count: number,
  x: number,
  y: number,
): readonly [number, number] | null {
  const [row, column] = [Math.floor((y - top) / side), Math.floor((x - left) / side)];
  return row >= 0 && column >= 0 && row < count && column < count ? [row, column] : null;
}

interface Drawn {
  readonly matrix: Matrix;
  readonly shades: Float64Array;
  readonly share: Share;
  readonly layout: MatrixLayout;
  readonly size: PixelSize;
  readonly theme: Theme;
  readonly locale: string;
  readonly say: (key: string) => string;
  readonly at: readonly [number, number] | null;
}

export function drawMatrix(context: CanvasRenderingContext2D, drawn: Drawn): void {
  const { matrix, layout, size, theme, say, at } = drawn;
  const { left, top, side, upright, named } = layout;
  const count = matrix.labels.length;
  context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  context.font = `11px ${theme.token('--font') || 'sans-serif'}`;
  context.textBaseline = 'middle';
  drawCells(context, drawn);
  context.fillStyle = theme.token('--muted');
  context.textAlign = 'left';
  context.fillText(say('confusion.columns'), left, 7);
  context.save();
  context.translate(left - named - 8, top + (count * side) / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = 'center';
  context.fillText(say('confusion.rows'), 0, 0);
  context.restore();
  context.fillStyle = theme.token('--text');
  const every = Math.max(1, Math.ceil(LEAST_NAMED / Math.max(0.01, side)));
  for (let i = 0; i < count; i += every) {
    const label = visibleText(matrix.labels[i] ?? '');
    context.textAlign = 'right';
    context.fillText(fitting(context, label, named), left - 6, top + (i + 0.5) * side);
    context.save();
    context.translate(left + (i + 0.5) * side, upright ? top - 4 : top - 9);
    if (upright) context.rotate(-Math.PI / 2);
    context.textAlign = upright ? 'left' : 'center';
    context.fillText(fitting(context, label, upright ? top - TITLE - 6 : side - 2), 0, 0);
    context.restore();
  }
  if (!at) return;
  context.strokeStyle = theme.token('--text');
  context.lineWidth = 1.5;
  context.strokeRect(left + at[1] * side, top + at[0] * side, side, side);
}

function drawCells(context: CanvasRenderingContext2D, { matrix, shades, share, layout, theme, locale }: Drawn): void {
  const { left, top, side } = layout;
  const gap = side > 8 ? GAP : 0;
  const [empty, right, wrong] = [theme.token('--hover'), theme.token('--accent'), theme.token('--danger')];
  context.textAlign = 'center';
  matrix.counts.forEach((row, y) =>
    row.forEach((count, x) => {
      const shade = shades[y * row.length + x] ?? 0;
      const color = mix(empty, x === y ? right : wrong, Math.sqrt(shade));
      context.fillStyle = color;
      context.fillRect(left + x * side, top + y * side, side - gap, side - gap);
      if (side < LEAST_READ || count === 0) return;
      const text = cellText(count, shade, share, locale);
      if (text.length * LETTER > side - 1) return;
      const [r, g, b] = rgbOf(color);
      context.fillStyle = 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#111' : '#fff';
      context.fillText(text, left + (x + 0.5) * side - gap / 2, top + (y + 0.5) * side);
    }),
  );
}

/** A name as far as there is room for it. */
function fitting(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let letters = Math.max(0, Math.floor(room / LETTER) - 1);
  while (letters > 0 && context.measureText(`${text.slice(0, letters)}…`).width > room) letters--;
  return letters > 0 ? `${text.slice(0, letters)}…` : '';
}
