/** Fonts that every PDF viewer has, and the widths of their letters. */
import type { FontFamily } from './style';

const WIDTHS: Readonly<Record<string, string>> = {
  Helvetica:
    '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 ' +
    '556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 ' +
    '778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 ' +
    '222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584',
  'Helvetica-Bold':
    '278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 ' +
    '556 333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 ' +
    '722 667 611 722 667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 ' +
    '556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584',
  'Times-Roman':
    '250 333 408 500 500 833 778 180 333 333 500 564 250 333 250 278 500 500 500 500 500 500 500 500 500 ' +
    '500 278 278 564 564 564 444 921 722 667 667 722 611 556 722 722 333 389 722 611 889 722 722 556 722 ' +
    '667 556 611 722 722 944 722 722 611 333 278 333 469 500 333 444 500 444 500 444 333 500 500 278 278 ' +
    '500 278 778 500 500 500 500 333 389 278 500 500 722 500 500 444 480 200 480 541',
  'Times-Bold':
    '250 333 555 500 500 1000 833 278 333 333 500 570 250 333 250 278 500 500 500 500 500 500 500 500 ' +
    '500 500 333 333 570 570 570 500 930 722 667 722 722 667 611 778 778 389 500 778 667 944 722 778 611 ' +
    '778 722 556 667 722 722 1000 722 722 667 333 278 333 581 500 333 500 556 444 556 444 333 500 556 ' +
    '278 333 556 278 833 556 500 556 556 444 389 333 556 500 722 500 500 444 394 220 394 520',
};

/** Names of the plain and the bold font of each family. */
export const FONTS: Readonly<Record<FontFamily, readonly [plain: string, bold: string]>> = {
  sans: ['Helvetica', 'Helvetica-Bold'],
  serif: ['Times-Roman', 'Times-Bold'],
  mono: ['Courier', 'Courier-Bold'],
};

/** Part of a text: letters of one font, or letters that none of the fonts has. */
export type Run =
  | {
      readonly symbol: boolean;
      readonly codes: readonly number[];
      /** Of the font; below one for what stands above the line. */
      readonly scale: number;
      /** Width in units of the size of the font. */
      readonly width: number;
    }
  | { readonly other: string };

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const SMALL = 0.7;
// codes and widths in the font Symbol
const SYMBOLS: Readonly<Record<string, readonly [code: number, width: number]>> = {
  '−': [0x2d, 549],
  '⁻': [0x2d, 549],
  '≤': [0xa3, 549],
  '≥': [0xb3, 549],
  '≈': [0xbb, 549],
  '∞': [0xa5, 713],
};
const OTHERS: Readonly<Record<string, number>> = {
  '€': 0x80,
  '…': 0x85,
  '‘': 0x91,
  '’': 0x92,
  '“': 0x93,
  '”': 0x94,
  '•': 0x95,
  '–': 0x96,
  '—': 0x97,
};

const known = new Map<string, readonly number[]>();

function widthOf(font: string, code: number): number {
  if (font.startsWith('Courier')) return 600;
  let widths = known.get(font);
  if (!widths) known.set(font, (widths = (WIDTHS[font] ?? '').split(' ').map(Number)));
  return widths[code - 32] ?? 556; // letters with accents are about as wide as those without
}

/** The parts of a text in a font of PDF (`WinAnsiEncoding`), and in Symbol. */
export function runsOf(text: string, font: string): readonly Run[] {
  const runs: Run[] = [];
  for (const letter of text) {
    const found = runOf(letter, font);
    const last = runs.at(-1);
    if (last && 'other' in last && 'other' in found) runs[runs.length - 1] = { other: last.other + found.other };
    else if (last && 'codes' in last && 'codes' in found && last.symbol === found.symbol && last.scale === found.scale)
      runs[runs.length - 1] = { ...last, codes: [...last.codes, ...found.codes], width: last.width + found.width };
    else runs.push(found);
  }
  return runs;
}

function runOf(letter: string, font: string): Run {
  const made = (code: number, symbol: boolean, width: number, isRaised: boolean): Run => {
    const scale = isRaised ? SMALL : 1;
    return { symbol, codes: [code], scale, width: (width * scale) / 1000 };
  };
  const symbol = SYMBOLS[letter];
  if (symbol) return made(symbol[0], true, symbol[1], letter === '⁻');
  const digit = SUPERSCRIPT.indexOf(letter);
  if (digit >= 0) return made(48 + digit, false, widthOf(font, 48 + digit), true);
  const point = letter.codePointAt(0) ?? 0;
  const code = (point >= 32 && point < 127) || (point >= 0xa0 && point < 0x100) ? point : OTHERS[letter];
  return code === undefined ? { other: letter } : made(code, false, widthOf(font, code), false);
}
