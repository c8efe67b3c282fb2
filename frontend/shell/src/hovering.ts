/** Elements of runs (`data-hover-run`), wherever they are, hover their run, and cards of other runs fade. */
import { effect } from '@preact/signals';
import type { Hovered } from './state/pointing';

const named = (attribute: string, runs: readonly string[]): string =>
  `:is(${runs.map((run) => `[${attribute}="${CSS.escape(run)}"]`).join()})`;

/** The rules of a style sheet while these runs are hovered. */
export function rulesOf(runs: readonly string[]): string {
  if (runs.length === 0) return '';
  return `[data-card-run]:not(.full, ${named('data-card-run', runs)}) { opacity: .35 }
${named('data-card-run', runs)} { outline: 2px solid var(--accent) }
${named('data-hover-run', runs)} { background: var(--hover) }`;
}

export function hoverRuns(hovered: Hovered): void {
  let last: string | null = null;
  const at = (target: EventTarget | null): void => {
    const run =
      (target instanceof Element ? target.closest<HTMLElement>('[data-hover-run]') : null)?.dataset['hoverRun'] ?? null;
    if (run === last) return; // others may have hovered what stands here
    last = run;
    hovered.set(run === null ? [] : [run]);
  };
  addEventListener('pointerover', (event) => at(event.target));
  addEventListener('focusin', (event) => at(event.target));
  addEventListener('focusout', () => at(null));
  document.documentElement.addEventListener('pointerleave', () => at(null));

  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  effect(() => sheet.replaceSync(rulesOf(hovered.runs.value)));
}
