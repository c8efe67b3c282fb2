import { codecs, type Page } from '@insight-host/kit';
import { stepParts } from '@insight-host/kit/steps';
import { signal } from '@preact/signals';
import type { Share } from './matrix';

export const SHARES = ['counts', 'rows', 'columns'] as const satisfies readonly Share[];

export type MediaParts = ReturnType<typeof mediaParts>;

/** What the tab is made of: cards with sliders, and how confusion matrices count. */
export function mediaParts(page: Page) {
  return {
    ...stepParts(page),
    share: page.setting('share', codecs.choice<Share>(SHARES, 'counts')),
    /** Whether a card has shown one: only then the toolbar offers how they count. */
    hasMatrices: signal(false),
  };
}
