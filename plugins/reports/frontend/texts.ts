/** Shows Markdown with formulas: `$…$` in a line, `$$…$$` on lines of its own, in TeX. */
import { rendered } from '@insight-host/kit/markdown';
import type { Formula } from './formulas';

const [OPEN, CLOSE] = ['\uE000', '\uE001']; // around the number of a formula while Markdown is rendered
const LONGEST = 20_000; // characters of a block in which formulas are looked for
/** Code, escaped signs, formulas. A dollar after a word or before a number is money. */
const TOKENS = new RegExp(
  [
    /^ {0,3}(?<fence>`{3,}|~{3,})[^]*?(?:\n {0,3}\k<fence>[`~]*[ \t]*$|(?![^]))/,
    /(?<ticks>`+)(?!`)[^]*?[^`]\k<ticks>(?!`)/,
    /\\[^]/,
    /\$\$([^$]+)\$\$/,
    /(?<![\w$])\$(?![\s$])((?:\\[^]|[^$\\\n])*?[^\s$\\]|\\[^])\$(?![\w$])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
);
const SAYS_MORE = /[\\^_={}+*/<>]/;

/** A text with formulas as marks, and what they stand for. */
export function withMarks(text: string): { readonly text: string; readonly formulas: readonly Formula[] } {
  if (text.length > LONGEST || text.includes(OPEN) || !text.includes('$')) return { text, formulas: [] };
  const formulas: Formula[] = [];
  const marked = text.replace(TOKENS, (source: string, _, __, block?: string, line?: string) => {
    const tex = block ?? line;
    if (tex === undefined || isMoney(tex)) return source;
    formulas.push({ tex: tex.trim(), isBlock: block !== undefined, source });
    return `${OPEN}${formulas.length - 1}${CLOSE}`;
  });
  return { text: marked, formulas };
}

/** `$5 and 6$`: words after an amount, without a sign of TeX. */
const isMoney = (tex: string): boolean => /^\d/.test(tex) && /\s/.test(tex) && !SAYS_MORE.test(tex);

/**
 * Fills `host` with the rendered text. Formulas come when the library is there, as MathML; one that cannot be read
 * stays as it is written, with what `failed` says as its title.
 */
export function showText(host: Element, text: string, definitions: string, failed: (reason: string) => string): void {
  const { text: marked, formulas } = withMarks(text);
  host.replaceChildren(rendered(definitions ? `${marked}\n\n${definitions}` : marked));
  if (formulas.length === 0) return;
  const places = insertMarks(host, formulas);
  void import('./formulas').then(
    ({ draw }) => {
      for (const [element, formula] of places) draw(element, formula, failed);
    },
    () => undefined, // without the library they stay as they are written
  );
}

/** Puts an element where each mark is; in attributes, formulas are as they are written. */
function insertMarks(host: Element, formulas: readonly Formula[]): readonly (readonly [HTMLElement, Formula])[] {
  const places: [HTMLElement, Formula][] = [];
  const marks = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g');
  const written = (value: string): string =>
    value.replace(marks, (_, at: string) => formulas[Number(at)]?.source ?? '');
  for (const element of host.querySelectorAll('*'))
    for (const { name, value } of element.attributes)
      if (value.includes(OPEN)) element.setAttribute(name, written(value));
  const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const node of texts) {
    if (!node.data.includes(OPEN)) continue;
    const parts = node.data.split(marks).map((part, at): string | HTMLElement => {
      const formula = at % 2 === 1 ? formulas[Number(part)] : undefined;
      if (!formula) return part;
      const element = document.createElement(formula.isBlock ? 'div' : 'span');
      element.className = 'formula';
      element.textContent = formula.source;
      places.push([element, formula]);
      return element;
    });
    node.replaceWith(...parts);
  }
  return places;
}
