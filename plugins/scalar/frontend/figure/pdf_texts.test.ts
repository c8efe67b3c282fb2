import { expect, it } from 'vitest';
import { prepareTexts, type Lettering } from './pdf_texts';

const letters: Lettering = {
  width: (text, size) => text.length * size,
  picture: (text, size, isBold, color) => ({
    href: `data:${text} ${size} ${isBold} ${color}`,
    width: text.length * size,
    height: 1.4 * size,
    ascent: size,
  }),
};

function prepared(texts: string): Element {
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  drawing.innerHTML = texts;
  prepareTexts(drawing, letters);
  return drawing;
}

const places = (text: Element | undefined): unknown =>
  ['x', 'y', 'font-size', 'text-anchor'].map((name) => text?.getAttribute(name));

it('keeps texts with Latin letters as texts, from their left end', () => {
  const [plain, bold] = prepared(
    '<text x="100" y="2" font-size="11" text-anchor="middle">Größe “é” – 5 µm</text>' +
      '<text x="1" y="2" font-size="11" font-weight="600">AB</text>',
  ).querySelectorAll('text');
  expect([plain?.textContent, places(plain)]).toEqual(['Größe “é” – 5 µm', ['12', '2', '11', 'start']]);
  expect([bold?.textContent, bold?.getAttribute('font-weight')]).toEqual(['AB', 'bold']);
});

it('writes powers as small letters above the line, and a minus as a dash that the fonts have', () => {
  const parts = [
    ...prepared('<text x="100" y="50" font-size="10" text-anchor="end">−2×10⁻³ s</text>').querySelectorAll('text'),
  ];
  expect(parts.map(({ textContent }) => textContent)).toEqual(['–2×10', '–3', ' s']);
  expect(parts.map(places)).toEqual([
    ['16', '50', '10', 'start'],
    ['66', '46.4', '7', 'start'],
    ['80', '50', '10', 'start'],
  ]);
});

it('draws texts with other letters as pictures in their place', () => {
  const drawing = prepared(
    '<text x="100" y="50" font-size="10" text-anchor="end" fill="#f00" transform="rotate(-90 100 50)">损失</text>',
  );
  expect(drawing.querySelector('text')).toBeNull();
  const image = drawing.querySelector('image');
  const read = (...names: string[]): (string | null | undefined)[] => names.map((name) => image?.getAttribute(name));
  expect(read('x', 'y', 'width', 'height')).toEqual(['80', '40', '20', '14']);
  expect(read('href', 'transform')).toEqual(['data:损失 10 false #f00', 'rotate(-90 100 50)']);
});

it('makes texts narrower that are too long, turned ones too', () => {
  const [long, turned, short] = prepared(
    '<text x="1" y="2" font-size="10" textLength="20" lengthAdjust="spacingAndGlyphs">ABCD</text>' +
      '<text x="1" y="2" font-size="10" textLength="20" transform="rotate(-90 1 2)">ABCD</text>' +
      '<text x="1" y="2" font-size="10" textLength="20">A</text>',
  ).querySelectorAll('text');
  const read = (text: Element | undefined): unknown =>
    ['x', 'y', 'textLength', 'transform'].map((name) => text?.getAttribute(name));
  expect(read(long)).toEqual(['0', '0', null, 'translate(1 2)scale(0.5 1)']);
  expect(read(turned)).toEqual(['0', '0', null, 'rotate(-90 1 2)translate(1 2)scale(0.5 1)']);
  expect(read(short)).toEqual(['1', '2', null, null]);
});
