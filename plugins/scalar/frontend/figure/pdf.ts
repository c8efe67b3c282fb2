/** Writes a drawing as PDF, by jsPDF and svg2pdf.js; loaded with the first one. */
import { jsPDF } from 'jspdf';
import { svg2pdf } from 'svg2pdf.js';
import { prepareTexts, type Lettering } from './pdf_texts';

const LETTERS = 96; // pixels of the letters of a picture
const HEIGHT = 1.4; // of these letters, with those below the line

/**
 * A file of one page of this size in points. `svg` has a family that PDF knows (`helvetica`, `times`, `courier`), of
 * which nothing is embedded; `family` are the fonts of the browser for letters that it lacks.
 */
export async function pdfOf(
  svg: string,
  [width, height]: readonly [number, number],
  title: string,
  family: string,
): Promise<Blob> {
  const file = new jsPDF({
    unit: 'pt',
    format: [width, height],
    orientation: width > height ? 'landscape' : 'portrait',
    compress: true,
    putOnlyUsedFonts: true,
    floatPrecision: 5,
  });
  file.setProperties({ title, creator: 'insight-host' });
  const drawing = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  const font = drawing.getAttribute('font-family') ?? '';
  prepareTexts(drawing, {
    width: (text, size, isBold) => file.setFont(font, isBold ? 'bold' : 'normal').getStringUnitWidth(text) * size,
    picture: pictures(family),
  });
  await svg2pdf(drawing, file, { x: 0, y: 0, width, height });
  return file.output('blob');
}

function pictures(family: string): Lettering['picture'] {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  return (text, size, isBold, color) => {
    if (!context) return null;
    const font = `${isBold ? '600 ' : ''}${LETTERS}px ${family}`;
    context.font = font;
    [canvas.width, canvas.height] = [Math.ceil(context.measureText(text).width), Math.round(HEIGHT * LETTERS)];
    if (canvas.width === 0) return null;
    context.font = font; // a canvas of another size forgets it
    context.fillStyle = color;
    context.fillText(text, 0, LETTERS);
    const scale = size / LETTERS;
    const place = { width: canvas.width * scale, height: canvas.height * scale, ascent: size };
    return { href: canvas.toDataURL('image/png'), ...place };
  };
}
