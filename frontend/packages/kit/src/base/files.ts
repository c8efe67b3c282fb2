/** What users take with them: tables as CSV for spreadsheets or in the clipboard, pictures as SVG and PNG. */
import type { PluginContext } from '@insight-host/api';
import type { Page } from './page';

export type CsvCell = string | number | bigint | boolean | null;

/**
 * After RFC 4180; null is an empty field. A text that a spreadsheet would take for a formula begins with an apostrophe.
 */
export function csvOf(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(value: CsvCell): string {
  if (value === null) return '';
  const text =
    typeof value === 'string' && /^[=+\-@\t\r]/.test(value) && !isNumber(value) ? `'${value}` : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const isNumber = (text: string): boolean => text.trim() !== '' && !Number.isNaN(Number(text));

/**
 * Copies a table with its header to the clipboard as tab-separated lines, and reports how many of `all` rows those are.
 */
export async function copyTable(
  page: Pick<Page, 't'> & { readonly ctx: Pick<PluginContext, 'notify'> },
  rows: readonly (readonly (string | number | bigint | boolean | null)[])[],
  all = rows.length - 1,
): Promise<void> {
  const text = rows
    .map((row) => row.map((cell) => String(cell ?? '').replace(/[\t\r\n]+/g, ' ')).join('\t'))
    .join('\n');
  try {
    await navigator.clipboard.writeText(text);
    const count = rows.length - 1;
    if (count < all) page.ctx.notify('warn', page.t('copied.rows.some', { count, all }));
    else page.ctx.notify('info', page.t('copied', { count }));
  } catch {
    page.ctx.notify('error', page.t('copy_failed'));
  }
}

/** An SVG as text, with its size in pixels. */
export interface Picture {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

const RATIO = 2; // pixels of a PNG for one of the drawing
const MOST_PIXELS = 60e6; // browsers refuse larger canvases
const MOST_LENGTH = 16_000; // pixels of a side

/** What is drawn in `root`, whose width and height are given; characters that no XML may hold are left out. */
export function pictureOf(root: SVGSVGElement, width: number, height: number): Picture {
  const text = new XMLSerializer()
    .serializeToString(root)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
  return { text, width, height };
}

export const svgFile = ({ text }: Picture): Blob => new Blob([text], { type: 'image/svg+xml' });

/** The picture at twice its size, or as large as browsers can. */
export async function pngFile(picture: Picture): Promise<Blob> {
  const { width, height } = picture;
  const scale = Math.min(RATIO, MOST_LENGTH / width, MOST_LENGTH / height, Math.sqrt(MOST_PIXELS / (width * height)));
  const address = URL.createObjectURL(svgFile(picture));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await canvasFile(canvas);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** A PNG of what a canvas shows; rejects when it is larger than browsers encode. */
export function canvasFile(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) =>
        blob
          ? resolve(blob)
          : reject(new Error(`The browser cannot encode a picture of ${canvas.width} x ${canvas.height} pixels.`)),
      'image/png',
    );
  });
}
