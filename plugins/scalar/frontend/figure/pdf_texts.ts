/** Prepares the texts of a drawing for PDF, whose own fonts have the letters of `WinAnsiEncoding` only. */

/** Measures and draws letters as the browser has them; null where it cannot draw. */
export interface Lettering {
  width(text: string, size: number, isBold: boolean): number;
  picture(text: string, size: number, isBold: boolean, color: string): LetterPicture | null;
}

/** A picture of a text: its address, and its size and the height above the line in pixels of the drawing. */
export interface LetterPicture {
  readonly href: string;
  readonly width: number;
  readonly height: number;
  readonly ascent: number;
}

const [RAISED, SMALL] = [0.36, 0.7]; // of the size of the font, for powers
const POWERS = /([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)/;
const PLAIN = '0123456789–';
const LATIN = /^[ -~\u00a0-ÿ€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/;

/** Texts with other letters become pictures, powers small raised letters, and texts that are too long narrow ones. */
export function prepareTexts(drawing: Element, letters: Lettering): void {
  for (const text of drawing.querySelectorAll('text')) {
    const isBold = text.hasAttribute('font-weight');
    if (isBold) text.setAttribute('font-weight', 'bold');
    const content = (text.textContent ?? '').replaceAll('−', '–');
    const size = Number(text.getAttribute('font-size'));
    fit(text, letters.width(content, size, isBold));
    const pieces = content.split(POWERS); // every second one is a power
    if (pieces.every((piece, i) => i % 2 === 1 || LATIN.test(piece))) raise(text, pieces, size);
    else replace(text, letters.picture(content, size, isBold, text.getAttribute('fill') ?? '#000'));
  }
}

/** Makes a text of this width as narrow as its `textLength` asks for. */
function fit(text: Element, width: number): void {
  const most = Number(text.getAttribute('textLength') ?? Infinity);
  text.removeAttribute('textLength'); // svg2pdf.js would push letters into each other
  if (width <= most) return;
  const place = `translate(${text.getAttribute('x')} ${text.getAttribute('y')})`;
  text.setAttribute('transform', `${text.getAttribute('transform') ?? ''}${place}scale(${most / width} 1)`);
  for (const name of ['x', 'y']) text.setAttribute(name, '0');
}

function raise(text: Element, pieces: readonly string[], size: number): void {
  text.textContent = '';
  if (pieces.length === 1) return text.append(pieces[0] as string);
  for (const [i, piece] of pieces.entries()) {
    const part = text.ownerDocument.createElementNS(text.namespaceURI, 'tspan');
    const isPower = i % 2 === 1;
    if (i > 0) part.setAttribute('dy', String((isPower ? -1 : 1) * RAISED * size));
    if (isPower) part.setAttribute('font-size', String(SMALL * size));
    part.textContent = isPower ? [...piece].map((sign) => PLAIN['⁰¹²³⁴⁵⁶⁷⁸⁹⁻'.indexOf(sign)]).join('') : piece;
    if (piece) text.append(part);
  }
}

function replace(text: Element, picture: LetterPicture | null): void {
  if (!picture) return text.remove();
  const image = text.ownerDocument.createElementNS(text.namespaceURI, 'image');
  const before = { start: 0, middle: 0.5, end: 1 }[text.getAttribute('text-anchor') ?? 'start'] ?? 0;
  const place = {
    x: Number(text.getAttribute('x')) - before * picture.width,
    y: Number(text.getAttribute('y')) - picture.ascent,
    width: picture.width,
    height: picture.height,
    href: picture.href,
    transform: text.getAttribute('transform'),
  };
  for (const [name, value] of Object.entries(place)) if (value !== null) image.setAttribute(name, String(value));
  text.replaceWith(image);
}
