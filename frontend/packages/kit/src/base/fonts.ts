/** The font of the page, which comes after its first texts. */
import { signal } from '@preact/signals';

/** Counts the fonts that came: texts have other widths then. */
export const fontsCame = signal(0);
globalThis.document?.fonts?.addEventListener('loadingdone', () => fontsCame.value++);
