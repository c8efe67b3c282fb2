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
  const drawing = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  prepareTexts(drawing, lettering(family));
  const file = new jsPDF({
    unit: 'pt',
    format: [width, height],
    orientation: width > height ? 'landscape' : 'portrait',
    compress: true,
    putOnlyUsedFonts: true,
    floatPrecision: 5,
  });
  file.setProperties({ title, creator: 'insight-host' });
  await svg2pdf(drawing, file, { x: 0, y: 0, width, height });
  return file.output('blob');
}

function lettering(family: string): Lettering {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  const fontOf = (isBold: boolean): string => `${isBold ? '600 ' : ''}${LETTERS}px ${family}`;
  const width = (text: string, size: number, isBold: boolean): number => {
    if (!context) return 0;
    context.font = fontOf(isBold);
    return (context.measureText(text).width * size) / LETTERS;
  };
  return {
    width,
    picture(text, size, isBold, color) {
      [canvas.width, canvas.height] = [Math.ceil(width(text, LETTERS, isBold)), Math.round(HEIGHT * LETTERS)];
      if (!context || canvas.width === 0) return null;
      context.font = fontOf(isBold); // a canvas of another size forgets it
      context.fillStyle = color;
      context.fillText(text, 0, LETTERS);
      const scale = size / LETTERS;
      const place = { width: canvas.width * scale, height: canvas.height * scale, ascent: size };
      return { href: canvas.toDataURL('image/png'), ...place };
    },
  };
}
