/** Pictures as files. */
import { csvOf, fileName, message, type CsvCell } from 'insight-host/kit';
import type { ProfilerBoard } from '../board';
import { profileName } from '../words';

const MARGIN = 12;
const SCALE = 2;

/** A drawing of the page as a file of its own: it has its colours as attributes already, and gets a ground to stand on. */
function svgText(drawing: SVGSVGElement, background: string): { readonly text: string; readonly width: number; readonly height: number } {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const box = drawing.getBoundingClientRect();
  const [width, height] = [Math.ceil(box.width) + 2 * MARGIN, Math.ceil(box.height) + 2 * MARGIN];
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.setAttribute('viewBox', `${-MARGIN} ${-MARGIN} ${width} ${height}`);
  copy.setAttribute('font-family', 'system-ui, sans-serif');
  for (const element of copy.querySelectorAll('[data-live]')) element.remove(); // what only follows the pointer
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [name, value] of [['x', -MARGIN], ['y', -MARGIN], ['width', width], ['height', height], ['fill', background]] as const) ground.setAttribute(name, String(value));
  copy.prepend(ground);
  const text = new XMLSerializer().serializeToString(copy).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''); // no XML holds these
  return { text, width, height };
}

async function painted(text: string, width: number, height: number): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width * SCALE, height * SCALE];
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'));
  } finally {
    URL.revokeObjectURL(address);
  }
}

export function saveDrawing(board: ProfilerBoard, name: string, drawing: SVGSVGElement | null | undefined, extension: 'svg' | 'png', background: string): void {
  if (!drawing) return;
  const { text, width, height } = svgText(drawing, background);
  save(board, name, extension, () => (extension === 'svg' ? new Blob([text], { type: 'image/svg+xml' }) : painted(text, width, height)));
}

export function save(board: ProfilerBoard, name: string, extension: string, make: () => Blob | Promise<Blob>): void {
  const { value: profile } = board.chosenInfo;
  Promise.resolve()
    .then(make)
    .then((content) => board.ctx.ui.download(fileName(`${profile ? profileName(profile) : ''}_${name}`, extension, name), content))
    .catch((error: unknown) => board.ctx.notify('error', board.t('export.failed', { reason: message(error) })));
}

export const csvBlob = (head: readonly string[], rows: readonly (readonly CsvCell[])[]): Blob => new Blob([csvOf([head, ...rows])], { type: 'text/csv' });
