/** Shows Markdown with formulas in TeX: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` on lines of their own. */
import type { Formula } from '@insight-host/kit/formulas';
import { rendered } from './rendered';

const [OPEN, CLOSE] = ['\uE000', '\uE001']; // around the number of a formula while Markdown is rendered
const LONGEST = 20_000; // characters of a block in which formulas are looked for
/** Code, escaped signs, formulas. A dollar after a word or before a number is money. */
const TOKENS = new RegExp(
  [
    /^ {0,3}(?<fence>`{3,}|~{3,})[^]*?(?:\n {0,3}\k<fence>[`~]*[ \t]*$|(?![^]))/,
    /(?<ticks>`+)(?!`)[^]*?[^`]\k<ticks>(?!`)/,
    /\\\[(?<square>(?:(?!\\\[)[^])+?)\\\]/,
    /\\\((?<round>(?:\\[^()]|[^\\\n])+?)\\\)/,
    /\\[^]/,
    /\$\$(?<block>[^$]+)\$\$/,
    /(?<![\w$])\$(?![\s$])(?<line>(?:\\[^]|[^$\\\n])*?[^\s$\\]|\\[^])\$(?![\w$])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
);
const SAYS_MORE = /[\\^_={}+*/<>]/;

/** A text with formulas as marks, and what they stand for. */
export function withMarks(text: string): { readonly text: string; readonly formulas: readonly Formula[] } {
  if (text.length > LONGEST || text.includes(OPEN) || !/\$|\\[([]/.test(text)) return { text, formulas: [] };
  const formulas: Formula[] = [];
  const marked = text.replace(TOKENS, (source: string, ...found: unknown[]) => {
    const { square, round, block, line } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const tex = square ?? round ?? block ?? line;
    const isText = line !== undefined ? isMoney(line) : square !== undefined && !saysTeX(square);
    if (tex === undefined || isText) return source;
    formulas.push({ tex: tex.trim(), isBlock: (square ?? block) !== undefined, source });
    return `${OPEN}${formulas.length - 1}${CLOSE}`;
  });
  return { text: marked, formulas };
}

/** `\[1\]` is a bracket of Markdown that is escaped. */
const saysTeX = (tex: string): boolean => SAYS_MORE.test(tex) || /^\s/.test(tex);

/** `$5 and 6$`: words after an amount, without a sign of TeX. */
const isMoney = (tex: string): boolean => /^\d/.test(tex) && /\s/.test(tex) && !SAYS_MORE.test(tex);

interface FormulaTexts {
  /** The title of a formula that cannot be read. */
  readonly failed: (reason: string) => string;
  /** Definitions of links that other parts of the same text have. */
  readonly definitions?: string;
}

/**
 * Fills `host`, an element of the class `markdown`, with the text rendered as `rendered` does it, and with its formulas
 * as MathML as soon as their library is there. A formula that cannot be read stays as it is written, with the reason as
 * its title.
 */
export function showWithFormulas(host: Element, text: string, { failed, definitions = '' }: FormulaTexts): void {
  const { text: marked, formulas } = withMarks(text);
  host.replaceChildren(rendered(definitions ? `${marked}\n\n${definitions}` : marked));
  if (formulas.length === 0) return;
  const places = insertMarks(host, formulas);
  void import('@insight-host/kit/formulas').then(
    ({ drawFormula }) => {
      for (const [element, formula] of places) drawFormula(element, formula, failed);
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
