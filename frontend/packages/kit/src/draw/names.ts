/** Names of runs where room is short: without the words that all of them share. */
import { visibleText } from '@insight-host/kit/lab';
import { estimatedWidth, FONT } from './painter';

let context: CanvasRenderingContext2D | null | undefined;

/** Width of a text of the page in pixels, in the font that it has now; estimated where nothing is drawn. */
export function textWidth(text: string, size: number): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return estimatedWidth(text, size);
  context.font = `${size}px ${FONT}`;
  return context.measureText(text.replace(/\d/g, '0')).width; // the page has digits of one width
}

/** Where parts of a name end: directories, columns of a group, words. `1e-3` is one word, `model.width` is two. */
const ENDS = [/(?<=\/)/, /(?<= · )/, /(?<=[\s/_=:,-])(?<!\de[-+])|(?<=[a-z]\.)(?=[a-z])/i] as const;

/** A part of a name; what it is worth: nothing if all names share it, less if it begins several, else most. */
type Part = readonly [text: string, worth: 0 | 1 | 2];

const shared = (text: string): readonly Part[] => (text ? text.split(ENDS[2]).map((part) => [part, 0]) : []);

/** The parts of these texts: equal ones are shared; of others those in which they differ are their own. */
function partsOf(texts: readonly string[], level = 0): readonly (readonly Part[])[] {
  const by = ENDS[level];
  if (new Set(texts).size < 2) return texts.map(shared);
  if (!by) return afterWord(texts);
  const all = texts.map((text) => text.split(by));
  const between = (from: number, end: number): string[] =>
    all.map((parts) => parts.slice(from, parts.length - end).join(''));
  const [first = [], ...others] = all;
  const least = Math.min(...all.map(({ length }) => length));
  if (all.every(({ length }) => length === least)) {
    const columns = first.map((_, at) => partsOf(between(at, least - at - 1), level + 1));
    return all.map((_, row) => columns.flatMap((column) => column[row] ?? []));
  }
  const isShared = (at: number): boolean => others.every((parts) => parts.at(at) === first.at(at));
  let [start, end] = [0, 0]; // parts that all begin and end with; one is left of each
  while (start < least - 1 && isShared(start)) start++;
  while (start + end < least - 1 && isShared(-1 - end)) end++;
  const middle = start + end > 0 ? partsOf(between(start, end), level) : byFirst(texts, by, level);
  const [head, tail] = [shared(first.slice(0, start).join('')), shared(first.slice(first.length - end).join(''))];
  return middle.map((own) => [...head, ...own, ...tail]);
}

/** Texts that differ in a number behind one word, `width4` and `width16`: a word that is not short is shared. */
function afterWord(texts: readonly string[]): readonly (readonly Part[])[] {
  const [word = ''] = /^[a-z]{4,}(?=[-+]?\.?\d)/i.exec(texts[0] ?? '') ?? [];
  const isShared = word && texts.every((text) => text.startsWith(word) && /^[-+]?\.?\d/.test(text.slice(word.length)));
  const head: readonly Part[] = isShared ? [[word, 0]] : [];
  return texts.map((text) => [...head, [isShared ? text.slice(word.length) : text, 2]]);
}

/** The parts of texts that begin in several ways: those that begin in one way are compared with each other. */
function byFirst(texts: readonly string[], by: RegExp, level: number): readonly (readonly Part[])[] {
  const groups = new Map<string, string[]>(); // what follows, by the first part
  const places = texts.map((text) => {
    const [begin = ''] = text.split(by, 1);
    const rests = groups.get(begin) ?? [];
    groups.set(begin, rests);
    return [begin, rests.push(text.slice(begin.length)) - 1] as const;
  });
  if (groups.size === new Set(texts).size) return partsOf(texts, level + 1);
  const found = new Map<string, readonly (readonly Part[])[]>();
  for (const [begin, rests] of groups)
    found.set(begin, rests.length > 1 ? partsOf(rests, level) : [[[rests[0] ?? '', 2]]]);
  return places.map(([begin, at]) => [
    [begin, groups.get(begin)?.length === 1 ? 2 : 1],
    ...(found.get(begin)?.[at] ?? []),
  ]);
}

/** A name with an ellipsis for parts that are worth less, but for so many before each that stays, or a brief one. */
function elided(parts: readonly Part[], [kept, brief, least]: Context): string {
  let text = '';
  let near = -1; // parts to keep, from the end on
  for (let at = parts.length - 1; at >= 0; at--) {
    const [part, worth] = parts[at] as Part;
    near = worth >= least ? kept + 1 : near;
    if (near-- > 0 || (near === -1 && part.length <= brief))
      text = (text.startsWith('…') ? part.replace(SEPARATORS, '') : part) + text;
    else if (!text.startsWith('…')) text = `…${text}`;
  }
  return text;
}

const SEPARATORS = /[\s_\-·=:,/.]+$/;

/** Words that stay before one that tells names apart, letters of a last one (`lr_0.1`), what a word must be worth. */
type Context = readonly [words: number, letters: number, least: 1 | 2];
const CONTEXTS: readonly Context[] = [
  [3, 0, 1],
  [2, 0, 1],
  [1, 0, 1],
  [0, 3, 1],
  [0, 0, 1],
  [1, 0, 2],
  [0, 0, 2],
];
const KEPT = [0.4, 0, 0.7, 1]; // shares of a long name that may stay of its beginning

/** Names by their parts: without words that they share, as few as make all fit if that is possible. */
function withoutWords(parts: readonly (readonly Part[])[], fits: (name: string) => boolean): readonly string[] {
  let shown = parts.map((own) => own.map(([text]) => text).join(''));
  const count = new Set(shown).size;
  for (const context of [null, ...CONTEXTS]) {
    const found = context ? parts.map((own) => elided(own, context)) : shown;
    if (new Set(found).size < count) continue;
    shown = found;
    if (found.every((name, at) => fits(name) || parts[at]?.every(([, worth]) => worth === 2))) break;
  }
  return shown;
}

/** The places of names by the directory that they begin with. */
function byDirectory(names: readonly string[]): Iterable<readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [at, name] of names.entries()) {
    const directory = name.slice(0, name.indexOf('/') + 1);
    const places = found.get(directory) ?? [];
    found.set(directory, places);
    places.push(at);
  }
  return found.values();
}

/**
 * Names that are at most this many pixels wide and differ where the whole ones do. If one is wider, words that they
 * share become an ellipsis in each; where one is still too wide, letters of it do.
 */
export function namesApart(
  given: readonly string[],
  width: number,
  size = 11,
  widthOf: typeof estimatedWidth = estimatedWidth,
): readonly string[] {
  const names = given.map((name) => visibleText(name));
  const fits = (name: string): boolean => widthOf(name, size) <= width;
  if (names.every(fits)) return names;
  const different = [...new Set(names)];
  const differ = (found: readonly string[]): boolean => new Set(found).size === different.length;
  const parts = different.length > 1 ? partsOf(different) : different.map((name): readonly Part[] => [[name, 2]]);
  const apart = [...different];
  for (const group of byDirectory(different)) {
    const own = group.map((row) => parts[row] ?? []); // a long name takes no words from those of other directories
    for (const [at, name] of withoutWords(own, fits).entries()) apart[group[at] as number] = name;
  }
  let shown: readonly string[] = differ(apart) ? apart : withoutWords(parts, fits);
  const bare = shown.map((name) => name.replace(/^…/, '')); // rather than letters of what tells them apart
  if (!shown.every(fits) && bare.every(fits) && differ(bare)) shown = bare;
  const cut = KEPT.map((share) => shown.map((name) => shortened(name, fits, share)));
  const best = cut.find(differ) ?? cut[0];
  const shortOf = new Map(different.map((name, at) => [name, best?.[at] ?? name]));
  return names.map((name) => shortOf.get(name) ?? name);
}

function shortened(name: string, fits: (text: string) => boolean, share: number): string {
  if (fits(name)) return name;
  const letters = [...name];
  const startsCut = share < 0.5 && name.startsWith('…'); // one ellipsis is read more easily than two
  for (let kept = letters.length - 1; kept > 1; kept--) {
    const head = startsCut ? 0 : Math.round(kept * share);
    const found =
      `${letters.slice(0, head).join('')}…${letters.slice(letters.length - (kept - head)).join('')}`.replace(
        /…+[.\s]*/,
        '…',
      );
    if (fits(found)) return found;
  }
  return '…';
}
