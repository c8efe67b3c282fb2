/** Pictures as files. */
import { csvOf, fileName, message, pictureOf, pngFile, svgFile, type CsvCell, type Picture } from '@insight-host/kit';
import type { ProfilerParts } from '../board';
import { profileName } from '../words';

const MARGIN = 12;

/**
 * A drawing of the page as a file of its own: it has its colours as attributes already, and gets a ground to stand on.
 */
function standing(drawing: SVGSVGElement, background: string): Picture {
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
  for (const [name, value] of [
    ['x', -MARGIN],
    ['y', -MARGIN],
    ['width', width],
    ['height', height],
    ['fill', background],
  ] as const)
    ground.setAttribute(name, String(value));
  copy.prepend(ground);
  return pictureOf(copy, width, height);
}

export function saveDrawing(
  board: ProfilerParts,
  name: string,
  drawing: SVGSVGElement | null | undefined,
  extension: 'svg' | 'png',
  background: string,
): void {
  if (!drawing) return;
  const picture = standing(drawing, background);
  save(board, name, extension, () => (extension === 'svg' ? svgFile : pngFile)(picture));
}

export function save(board: ProfilerParts, name: string, extension: string, make: () => Blob | Promise<Blob>): void {
  const { value: profile } = board.profiles.chosenInfo;
  Promise.resolve()
    .then(make)
    .then((content) =>
      board.page.ctx.ui.download(fileName(`${profile ? profileName(profile) : ''}_${name}`, extension, name), content),
    )
    .catch((error: unknown) =>
      board.page.ctx.notify('error', board.page.t('export.failed', { reason: message(error) })),
    );
}

export const csvBlob = (head: readonly string[], rows: readonly (readonly CsvCell[])[]): Blob =>
  new Blob([csvOf([head, ...rows])], { type: 'text/csv' });
