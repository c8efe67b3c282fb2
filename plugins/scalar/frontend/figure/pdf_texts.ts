/** Prepares the texts of a drawing for PDF, whose own fonts have the letters of `WinAnsiEncoding` only. */

/** Measures letters as PDF has them, and draws others as the browser has them; null where it cannot draw. */
export interface Lettering {
  width(text: string, size: number, isBold: boolean): number;
  picture(text: string, size: number, isBold: boolean, color: string): LetterPicture | null;
}

/** A picture of a text: its address, and its size and the height above the line in pixels of the drawing. */
interface LetterPicture {
  readonly href: string;
  readonly width: number;
  readonly height: number;
  readonly ascent: number;
}

const [RAISED, SMALL] = [0.36, 0.7]; // of the size of the font, for powers
const BEFORE: Readonly<Record<string, number>> = { start: 0, middle: 0.5, end: 1 }; // of the width
const POWERS = /([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)/;
const PLAIN = '0123456789–';
const LATIN = /^[ -~\u00a0-ÿ€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/;

/**
 * Texts with other letters become pictures, powers small raised letters, and texts that are too long narrow ones. All
 * get their left end as their place, for only PDF knows how wide its letters are.
 */
export function prepareTexts(drawing: Element, letters: Lettering): void {
  for (const text of drawing.querySelectorAll('text')) {
    const isBold = text.hasAttribute('font-weight');
    if (isBold) text.setAttribute('font-weight', 'bold');
    const size = Number(text.getAttribute('font-size'));
    const content = (text.textContent ?? '').replaceAll('−', '–');
    const pieces = content.split(POWERS); // every second one is a power
    if (!pieces.every((piece, i) => i % 2 === 1 || LATIN.test(piece))) {
      const picture = letters.picture(content, size, isBold, text.getAttribute('fill') ?? '#000');
      if (picture) replace(text, picture);
      else text.remove();
      continue;
    }
    const parts = pieces.map((piece, i) => (i % 2 === 1 ? powerOf(piece, size) : { text: piece, size, up: 0 }));
    const widths = parts.map((part) => letters.width(part.text, part.size, isBold));
    let at = startOf(
      text,
      widths.reduce((sum, width) => sum + width, 0),
    );
    const placed = parts.flatMap((part, i) => {
      const made = text.cloneNode(false) as Element;
      made.textContent = part.text;
      const y = Number(text.getAttribute('y')) - part.up;
      for (const [name, value] of Object.entries({ x: at, y, 'font-size': part.size }))
        made.setAttribute(name, String(value));
      at += widths[i] as number;
      return part.text ? [made] : [];
    });
    text.replaceWith(...placed);
  }
}

function powerOf(signs: string, size: number): { readonly text: string; readonly size: number; readonly up: number } {
  const text = [...signs].map((sign) => PLAIN['⁰¹²³⁴⁵⁶⁷⁸⁹⁻'.indexOf(sign)]).join('');
  return { text, size: SMALL * size, up: RAISED * size };
}

/** The left end of a text of this width, which is made as narrow as its `textLength` asks for. */
function startOf(text: Element, width: number): number {
  const most = Number(text.getAttribute('textLength') ?? Infinity);
  text.removeAttribute('textLength'); // svg2pdf.js would push letters into each other
  if (width > most) {
    const place = `translate(${text.getAttribute('x')} ${text.getAttribute('y')})`;
    text.setAttribute('transform', `${text.getAttribute('transform') ?? ''}${place}scale(${most / width} 1)`);
    for (const name of ['x', 'y']) text.setAttribute(name, '0');
  }
  const before = BEFORE[text.getAttribute('text-anchor') ?? 'start'] ?? 0;
  text.setAttribute('text-anchor', 'start');
  text.setAttribute('xml:space', 'preserve');
  return Number(text.getAttribute('x')) - before * width;
}

function replace(text: Element, picture: LetterPicture): void {
  const image = text.ownerDocument.createElementNS(text.namespaceURI, 'image');
  const left = startOf(text, picture.width);
  const place = {
    x: left,
    y: Number(text.getAttribute('y')) - picture.ascent,
    width: picture.width,
    height: picture.height,
    href: picture.href,
    transform: text.getAttribute('transform'),
  };
  for (const [name, value] of Object.entries(place)) if (value !== null) image.setAttribute(name, String(value));
  text.replaceWith(image);
}
