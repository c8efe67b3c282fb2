/** The order of texts in tables: without regard to case, numbers in them by their size. */

const collator = new Intl.Collator('en');
const DECIMAL = /\d+(?:\.\d+)?/g;
const DIGITS = 20; // of the whole part of a number in a key

/** Puts things in the order of their texts: `b9` before `b10`, `lr0.01` before `lr0.1`. */
export function sortedTexts<T>(things: readonly T[], textOf: (thing: T) => string): readonly T[] {
  const texts = things.map(textOf);
  // A key costs once what a comparison costs each time.
  const keys = texts.map(keyOf);
  const at = (of: readonly string[], place: number): string => of[place] as string;
  const byLetters = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  const compare = texts.every(isAscii) ? byLetters : collator.compare;
  return texts
    .map((_, place) => place)
    .sort((a, b) => compare(at(keys, a), at(keys, b)) || byLetters(at(texts, a), at(texts, b)) || a - b)
    .map((place) => things[place] as T);
}

const isAscii = (text: string): boolean => !/[^\x20-\x7e]/.test(text);

/** Sorts as the text should, letter by letter. */
function keyOf(text: string): string {
  return text.toLowerCase().replace(DECIMAL, (number) => {
    const [whole = '', rest = ''] = number.split('.');
    return `${whole.replace(/^0+(?=\d)/, '').padStart(DIGITS, '0')}${rest && `.${rest}`}`;
  });
}
