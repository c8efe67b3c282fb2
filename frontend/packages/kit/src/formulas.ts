/** Draws formulas in TeX as MathML, which browsers lay out themselves; `kit/markdown` loads it for the first one. */
import temml from 'temml';

export interface Formula {
  readonly tex: string;
  /** On lines of its own. */
  readonly isBlock: boolean;
  /** As it is written. */
  readonly source: string;
}

const MOST_EXPANDED = 1000; // macros of one formula
const LONGEST = 5000; // characters of one

/** Fills the element with the formula; one that cannot be read, or is too long, stays as it is written. */
export function drawFormula(
  element: HTMLElement,
  { tex, isBlock, source }: Formula,
  failed: (reason: string) => string,
): void {
  const made = document.createElement('span');
  try {
    if (tex.length > LONGEST) throw new Error(`${tex.length} > ${LONGEST}`);
    temml.render(tex, made, {
      displayMode: isBlock,
      throwOnError: true,
      maxExpand: MOST_EXPANDED,
      trust: false, // no links, no classes
      annotate: false,
    });
    element.replaceChildren(...made.childNodes);
  } catch (cause) {
    element.textContent = source;
    element.title = failed(cause instanceof Error ? cause.message : String(cause));
    element.classList.add('bad');
  }
}
