import type { Query } from '@insight-host/api';
import { codecs, type CardKey, type Page } from '@insight-host/kit';
import { stepParts } from '@insight-host/kit/steps';
import { signal } from '@preact/signals';
import type { Item } from './item';
import type { Share } from './matrix';

export const SHARES = ['counts', 'rows', 'columns'] as const satisfies readonly Share[];

export type MediaParts = ReturnType<typeof mediaParts>;

/** Makes the parts of the tab: cards with sliders, and the way in which confusion matrices count. */
export function mediaParts(page: Page) {
  return {
    ...stepParts(page),
    share: page.setting('share', codecs.choice<Share>(SHARES, 'counts')),
    /** Whether a card has shown one: only then the toolbar offers how they count. */
    hasMatrices: signal(false),
  };
}

/** The component that shows the content of a record. */
export interface BodyProps<Shown = Item> {
  readonly board: MediaParts;
  readonly card: CardKey;
  readonly item: Shown;
  /** The address of the content. */
  readonly source: (more?: Query) => string;
}
