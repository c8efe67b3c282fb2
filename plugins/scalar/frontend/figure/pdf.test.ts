import { describe, expect, it } from 'vitest';
import { pdfFile } from './pdf_file';
import { runsOf } from './pdf_fonts';
import { PdfPainter, type Stencil } from './pdf_painter';

const text = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
const stencil: Stencil = {
  columns: 8,
  rows: 2,
  bits: Uint8Array.of(255, 1),
  width: 1,
  height: 1.4,
  depth: 0.4,
};

function painted(paint: (painter: PdfPainter) => void): ReturnType<PdfPainter['page']> {
  const painter = new PdfPainter(240, 170, 0.5, 'sans', () => stencil);
  paint(painter);
  return painter.page();
}

/** The content of a file's objects, by their places in its table. */
async function objectsOf(file: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const whole = text(file);
  const start = Number(/startxref\n(\d+)/.exec(whole)?.[1]);
  const places = [...whole.slice(start).matchAll(/(\d{10}) 00000 n/g)].map(([, place]) => Number(place));
  return Promise.all(
    places.map(async (place, i) => {
      const object = whole.slice(place);
      expect(object.startsWith(`${i + 1} 0 obj\n`)).toBe(true);
      const [, length] = /\/Length (\d+) >>\nstream\n/.exec(object.slice(0, object.indexOf('endobj'))) ?? [];
      if (!length) return object.slice(0, object.indexOf('endobj'));
      const from = place + object.indexOf('stream\n') + 7;
      const packed = new Blob([file.slice(from, from + Number(length))]);
      const plain = packed.stream().pipeThrough(new DecompressionStream('deflate'));
      return text(new Uint8Array(await new Response(plain).arrayBuffer()));
    }),
  );
}

describe('a PDF', () => {
  it('has a table of its objects, its size, and lines as lines', async () => {
    const page = painted((painter) =>
      painter.polylines(
        { points: Float64Array.of(1, 2, 3.14159, 4, 5, 6), starts: [0], end: 3 },
        { color: '#ff0000', width: 1.5, dash: [4, 2], alpha: 0.25 },
      ),
    );
    const objects = await objectsOf(await pdfFile(page, '损失'));
    expect(objects[1]).toContain('/MediaBox [0 0 240.000 170.000]');
    expect(objects[1]).toContain('/A250 << /ca 0.25 /CA 0.25 >>');
    expect(objects[2]).toContain('/Title <feff635f5931>');
    expect(objects.at(-1)).toContain('0.500000 0 0 -0.500000 0 170.000000 cm');
    expect(objects.at(-1)).toContain('q /A250 gs 1 0 0 RG 1.5 w [4 2] 0 d \n1 2 m\n3.142 4 l\n5 6 l\nS Q\n');
  });

  it('has texts as texts, at their places', () => {
    const { content } = painted((painter) => {
      painter.text(10, 20, 'AB', { color: '#000000', align: 'right' });
      painter.text(10, 20, 'AB', { color: '#000000', align: 'center', turned: true, weight: 'bold' });
    });
    const width = 11 * 1.334; // of A and B in Helvetica
    expect(content).toContain(
      `q 1 0 0 -1 ${(10 - width).toFixed(3)} 23.85 cm 0 0 0 rg\nBT /F1 11 Tf 0 0 Td <4142> Tj ET`,
    );
    expect(content).toContain(`q 0 -1 -1 0 13.85 ${(20 + (11 * 1.444) / 2).toFixed(3)} cm 0 0 0 rg\nBT /F2 11 Tf`);
  });

  it('draws letters without a font as stencils, and powers above the line', async () => {
    const page = painted((painter) => painter.text(0, 0, '10⁻³ 损', { color: '#000000' }));
    expect(runsOf('10⁻³ 损', 'Helvetica').map((run) => ('codes' in run ? run.codes : run.other))).toEqual([
      [49, 48],
      [0x2d],
      [51],
      [32],
      '损',
    ]);
    expect(page.content).toContain('/F3 7.7 Tf 12.232 3.96 Td <2d> Tj');
    expect(page.content).toContain('/M0 Do');
    const objects = await objectsOf(await pdfFile(page, 'x'));
    expect(objects).toContain(text(stencil.bits));
  });

  it('makes texts narrower that are too long', () => {
    const { content } = painted((painter) => painter.text(0, 0, 'AB', { color: '#000000', maxWidth: 7.337 }));
    expect(content).toContain('q 0.5 0 0 -1 0 3.85 cm');
  });
});
