import { signal } from '@preact/signals';
import { codecs, type Page } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { stepParts } from '@insight-host/kit/steps';
import type { View } from './curve';

export const VIEWS = ['pr', 'roc'] as const satisfies readonly View[];

const REST = 500; // ms between two questions about what grows
const SETTLE = 300; // ms without a move before the URL says the threshold

export type PrParts = ReturnType<typeof prParts>;

/** Makes the parts of the tab: a card for each tag, with the curves of all runs at one step. */
export function prParts(page: Page) {
  const version = signal(0);
  const grown = new Spaced(REST, () => void version.value++);
  page.onChange(page.ctx.changes, () => grown.ask());
  page.until(() => grown.cancel());
  return {
    ...stepParts(page, true),
    view: page.setting('view', codecs.choice<View>(VIEWS, 'pr')),
    /** At which the numbers of all cards are read. */
    threshold: page.setting('threshold', codecs.number(0, 1, 0.5), SETTLE),
    /** Another number when series have grown. */
    version,
  };
}
