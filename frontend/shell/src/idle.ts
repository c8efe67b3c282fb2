/** What the page does without until it is idle: hovered runs in every tab, and its font. */
import { hoverRuns } from './hovering';
import type { Hovered } from './state/pointing';

// as @fontsource-variable/inter/wght.css has it: other letters are the system's
const LATIN =
  'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, ' +
  'U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD';

export function startIdle(hovered: Hovered): void {
  hoverRuns(hovered);
  void loadFont();
}

/**
 * Inter takes the place of the system's font once it is there; charts draw themselves again. Whatever else the page
 * asks for comes first. A snapshot is one file, without it.
 */
async function loadFont(): Promise<void> {
  if ('snapshot' in document.documentElement.dataset) return;
  try {
    // its address does not exist in a file: imported there, it would take this module along
    const { default: inter } = await import('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url');
    const answer = await fetch(inter, { priority: 'low' });
    if (!answer.ok) return; // the system's font stays
    const looks = { weight: '100 900', display: 'swap', unicodeRange: LATIN } as const;
    document.fonts.add(await new FontFace('Inter', await answer.arrayBuffer(), looks).load());
    document.fonts.dispatchEvent(new Event('loadingdone')); // as for fonts of style sheets: charts wait for it
  } catch (cause) {
    console.info('The page keeps the font of the system:', cause);
  }
}
