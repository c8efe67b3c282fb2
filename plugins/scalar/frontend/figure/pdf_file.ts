/** Writes a page as a PDF file (ISO 32000-1). */
import type { PdfPage } from './pdf_painter';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** The bytes of a file of one page. Its fonts are among those that every viewer has; nothing is embedded. */
export async function pdfFile(page: PdfPage, title: string): Promise<Uint8Array<ArrayBuffer>> {
  const stencils = [...page.stencils];
  const first = 4 + page.fonts.length; // object of the first stencil
  const named = (names: readonly string[]): string => names.join(' ');
  const fonts = named(page.fonts.map((_, i) => `/F${i + 1} ${4 + i} 0 R`));
  const alphas = named([...page.alphas].map(([name, alpha]) => `/${name} << /ca ${alpha} /CA ${alpha} >>`));
  const images = named(stencils.map(([name], i) => `/${name} ${first + i} 0 R`));
  const objects: Uint8Array[] = [
    bytesOf('<< /Type /Catalog /Pages 2 0 R >>'),
    bytesOf(
      `<< /Type /Pages /Kids [${first + stencils.length} 0 R] /Count 1 ` +
        `/MediaBox [0 0 ${page.width.toFixed(3)} ${page.height.toFixed(3)}] ` +
        `/Resources << /Font << ${fonts} >> /ExtGState << ${alphas} >> /XObject << ${images} >> >> >>`,
    ),
    bytesOf(`<< /Title ${hexText(title)} /Creator (insight-host) >>`),
    ...page.fonts.map((name) =>
      bytesOf(
        `<< /Type /Font /Subtype /Type1 /BaseFont /${name}${name === 'Symbol' ? '' : ' /Encoding /WinAnsiEncoding'} >>`,
      ),
    ),
  ];
  for (const [, { columns, rows, bits }] of stencils) {
    const about =
      `/Type /XObject /Subtype /Image /ImageMask true /Decode [1 0] /Width ${columns} /Height ${rows} ` +
      `/BitsPerComponent 1`;
    objects.push(await stream(about, bits));
  }
  const content = first + stencils.length + 1;
  objects.push(bytesOf(`<< /Type /Page /Parent 2 0 R /Contents ${content} 0 R >>`));
  objects.push(await stream('', bytesOf(page.content)));
  return assembled(objects);
}

function assembled(objects: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array): void => {
    parts.push(part);
    length += part.length;
  };
  add(bytesOf('%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n'));
  const places = objects.map((object, i) => {
    const place = length;
    add(bytesOf(`${i + 1} 0 obj\n`));
    add(object);
    add(bytesOf('\nendobj\n'));
    return place;
  });
  const count = objects.length + 1;
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const table = length;
  add(
    bytesOf(
      `xref\n0 ${count}\n0000000000 65535 f \n${rows}` +
        `trailer\n<< /Size ${count} /Root 1 0 R /Info 3 0 R >>\nstartxref\n${table}\n%%EOF\n`,
    ),
  );
  const file = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}

async function stream(about: string, bytes: Uint8Array): Promise<Uint8Array> {
  const packed = new Uint8Array(
    await new Response(new Blob([bytes.slice()]).stream().pipeThrough(new CompressionStream('deflate'))).arrayBuffer(),
  );
  const head = bytesOf(`<< ${about} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`);
  const tail = bytesOf('\nendstream');
  const out = new Uint8Array(head.length + packed.length + tail.length);
  out.set(head);
  out.set(packed, head.length);
  out.set(tail, head.length + packed.length);
  return out;
}

/** A text of any letters: UTF-16, as hexadecimal digits. */
function hexText(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, '0'));
  return `<feff${units.join('')}>`;
}
