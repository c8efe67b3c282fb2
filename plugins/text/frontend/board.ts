import { codecs, type CardKey, type Page } from '@insight-host/kit';
import { recordQuery, type Records, stepParts } from '@insight-host/kit/steps';

export const VIEWS = ['rendered', 'raw', 'diff'] as const;
type View = (typeof VIEWS)[number];

const SETTLE = 300; // ms without a key before the URL says what is searched

/** The strings of one record in row-major order, and the shape of their tensor. */
export interface Texts {
  readonly shape: readonly number[];
  readonly strings: readonly string[];
}

/** The answer of `/search`. */
export interface Matches {
  readonly matches: readonly number[];
  readonly searched: number;
  readonly records: number;
}

export type TextParts = ReturnType<typeof textParts>;

/** Makes the parts of the text tab: cards with sliders, a search, and a way of showing texts. */
export function textParts(page: Page) {
  return {
    ...stepParts(page),
    view: page.setting('view', codecs.choice<View>(VIEWS, 'rendered')),
    search: page.setting('search', codecs.text, SETTLE),
    /** The run with which a diff compares; null: the record before of the same run. */
    base: page.setting('base', codecs.name),
  };
}

export async function textsOf(
  { page }: TextParts,
  card: CardKey,
  records: Records,
  index: number,
  signal: AbortSignal,
): Promise<Texts> {
  const query = recordQuery(card, records, index);
  return (await page.ctx.data.json<{ readonly value: Texts }>('value', query, { signal })).value;
}

export function matchesOf(
  { page }: TextParts,
  { run, tag }: CardKey,
  attempts: Records['attempts'],
  text: string,
  signal: AbortSignal,
): Promise<Matches> {
  return page.ctx.data.json<Matches>('search', { run, tag, attempts, q: text }, { signal });
}
