/** Colours of terminals as classes: escape sequences become looks of pieces of inert text. */

export interface Piece {
  readonly text: string;
  /** Classes, by a space: a colour, `bold`, `faint`, `italic`, `underline`, `inverse`. */
  readonly look: string;
}

// sequences that set a look, and all others, which are left out: of the cursor, of titles and links
const ESCAPE = /\x1b\[([\d;:]*)m|\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]+[0-~]|[0-Z\\^-~])/g;
const ON: Readonly<Record<number, string>> = { 1: 'bold', 2: 'faint', 3: 'italic', 4: 'underline', 7: 'inverse' };
const OFF: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'faint'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
};

/** The pieces of a line, in order; a line without escape sequences is one piece. */
export function piecesOf(line: string): readonly Piece[] {
  if (!line.includes('\x1b')) return [{ text: line, look: '' }];
  const found: Piece[] = [];
  const looks = new Set<string>();
  let color = '';
  let from = 0;
  const add = (to: number): void => {
    if (to > from) found.push({ text: line.slice(from, to), look: [...looks, color].filter(Boolean).join(' ') });
  };
  for (const match of line.matchAll(ESCAPE)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[1] === undefined) continue;
    color = styled(match[1].split(/[;:]/).map(Number), looks, color);
  }
  add(line.length);
  return found;
}

/** The line as it reads, without escape sequences. */
export const plainOf = (line: string): string => line.replace(ESCAPE, '');

function styled(codes: readonly number[], looks: Set<string>, before: string): string {
  let color = before;
  for (let place = 0; place < codes.length; place++) {
    const code = codes[place] ?? 0;
    if (code === 0) {
      looks.clear();
      color = '';
    } else if (ON[code]) looks.add(ON[code]);
    else if (OFF[code]) OFF[code].forEach((look) => looks.delete(look));
    else if (code === 39) color = '';
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) color = classOf(code % 10);
    else if (code === 38 || code === 48) {
      const isWide = codes[place + 1] === 2;
      if (code === 38) color = isWide ? ofRgb(codes.slice(place + 2, place + 5)) : ofTable(codes[place + 2] ?? 0);
      place += isWide ? 4 : 2;
    }
  }
  return color;
}

/** Black and white are those of the theme. */
const COLORS = ['', 'ansi1', 'ansi2', 'ansi3', 'ansi4', 'ansi5', 'ansi6', ''];
const classOf = (number: number): string => COLORS[number] ?? '';

function ofTable(number: number): string {
  if (number < 16) return classOf(number % 8);
  if (number >= 232) return ''; // greys
  const at = number - 16;
  return ofRgb([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6]);
}

/** The colour of a terminal that is nearest to one of the spectrum. */
function ofRgb(channels: readonly number[]): string {
  const most = Math.max(...channels);
  return classOf(channels.reduce((bits, channel, place) => bits | (channel * 2 > most ? 1 << place : 0), 0));
}

export type Level = '' | 'warn' | 'error';
const ERROR = new RegExp(
  [
    /\b(?:ERROR|CRITICAL|FATAL)\b/,
    /^(?:\[rank\d+\]:\s*)?(?:Traceback \(most recent|E\d{4} |[\w.]+(?:Error|Exception):? )/,
    /^[\w.]+(?:Error|Exception)$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
const WARN = /\bWARN(?:ING)?\b|^W\d{4} |Warning: /;

/** How bad a line is by the words that loggers write; a metric named error is no error. */
export function levelOf(plain: string): Level {
  return ERROR.test(plain) ? 'error' : WARN.test(plain) ? 'warn' : '';
}
