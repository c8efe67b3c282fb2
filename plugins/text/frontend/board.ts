import { addStyles, codecs, type CardKey, type Page } from '@insight-host/kit';
import { recordQuery, type Records, stepParts } from '@insight-host/kit/steps';
import { computed, effect, signal } from '@preact/signals';

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

const HEIGHTS = { least: 160, most: 340, step: 60 } as const; // pixels of cards
const AROUND = 140; // pixels of a card that are not its text

/** The height of all cards: as high as the longest text needs that has been shown, within limits. */
export class CardHeight {
  private readonly pixels = signal<number>(HEIGHTS.least);
  /** A class that changes with the height. */
  readonly look = computed(() => `height-${this.pixels.value}`);

  constructor(page: Page) {
    let remove = (): void => undefined;
    page.until(
      effect(() => {
        remove();
        remove = addStyles(page.ctx, `.texts { --card-height: ${this.pixels.value}px; }`);
      }),
    );
    page.until(() => remove());
  }

  /** A text that is so high is shown. */
  fit(text: number): void {
    const { least, most, step } = HEIGHTS;
    const wanted = least + Math.ceil((text + AROUND - least) / step) * step;
    this.pixels.value = Math.max(this.pixels.value, Math.min(most, wanted));
  }
}

export type TextParts = ReturnType<typeof textParts>;

/** Makes the parts of the text tab: cards with sliders, a search, and a way of showing texts. */
export function textParts(page: Page) {
  return {
    ...stepParts(page),
    height: new CardHeight(page),
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
