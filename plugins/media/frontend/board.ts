import type { Query } from '@insight-host/api';
import { codecs, type CardKey, type Page } from '@insight-host/kit';
import { recordQuery, stepParts, type Records } from '@insight-host/kit/steps';
import { signal } from '@preact/signals';

export const SHARES = ['counts', 'rows', 'columns'] as const;
/** The meaning of colours of a confusion matrix: counts, or shares of the true or the predicted class. */
export type Share = (typeof SHARES)[number];

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

export type Cell = string | number | boolean | null;

/** The first rows and columns of a table, and how many it has of both. */
interface TableOf {
  readonly names: readonly string[];
  readonly columns: readonly (readonly Cell[])[];
  readonly rows: number;
  readonly width: number;
}

/** Counts by true class (rows) and predicted class (columns), and measures by class. */
export interface Matrix {
  readonly labels: readonly string[];
  readonly counts: readonly (readonly number[])[];
  readonly accuracy: number;
  readonly precision: readonly number[];
  readonly recall: readonly number[];
  readonly f1: readonly number[];
  readonly support: readonly number[];
}

export type Figure = Readonly<Record<string, unknown>>;

interface Recorded {
  readonly media_type: string;
  /** Bytes. */
  readonly size: number;
}

/** The answer of `/item`. */
export type Item = Recorded &
  (
    | { readonly kind: 'video' | 'picture' | 'html' }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'table'; readonly table: TableOf }
    | { readonly kind: 'confusion'; readonly matrix: Matrix }
    | { readonly kind: 'plotly' | 'vega'; readonly figure: Figure }
  );

export type ItemOf<Kind extends Item['kind']> = Extract<Item, { readonly kind: Kind }>;

export function itemOf(
  { page }: { readonly page: Page },
  card: CardKey,
  records: Records,
  index: number,
  signal: AbortSignal,
): Promise<Item> {
  return page.ctx.data.json<Item>('item', recordQuery(card, records, index), { signal });
}

/** The address of the recorded content. */
export function contentHref(
  { page }: { readonly page: Page },
  card: CardKey,
  records: Records,
  index: number,
  more: Query = {},
): string {
  return page.ctx.data.href('content', { ...recordQuery(card, records, index), ...more });
}
