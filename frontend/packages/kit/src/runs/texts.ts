/** The order of texts in tables: without regard to case, numbers in them by their size. */

const collator = new Intl.Collator('en', { numeric: true });
const DECIMAL = /\d+(?:\.\d+)?/g;
const DIGITS = 20; // of the whole part of a number in a key

/** Puts things in the order of their texts: `b9` before `b10`, `lr0.01` before `lr0.1`. */
export function sortedTexts<T>(things: readonly T[], textOf: (thing: T) => string): readonly T[] {
  const texts = things.map(textOf);
  const places = texts.map((_, at) => at);
  const at = (place: number): string => texts[place] as string;
  const exact = (a: number, b: number): number => (at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : a - b);
  // A key costs once what a comparison by the collator costs each time; it knows ASCII only.
  const keys = texts.every(isAscii) ? texts.map(keyOf) : null;
  if (keys) {
    const key = (place: number): string => keys[place] as string;
    places.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : exact(a, b)));
  } else places.sort((a, b) => collator.compare(at(a), at(b)) || exact(a, b));
  return places.map((place) => things[place] as T);
}

const isAscii = (text: string): boolean => !/[^\x20-\x7e]/.test(text);

/** Sorts as the text should, letter by letter. */
function keyOf(text: string): string {
  return text.toLowerCase().replace(DECIMAL, (number) => {
    const [whole = '', rest = ''] = number.split('.');
    return `${whole.replace(/^0+(?=\d)/, '').padStart(DIGITS, '0')}${rest && `.${rest}`}`;
  });
}
