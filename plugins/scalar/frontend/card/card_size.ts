/** The size that all cards of the board have, as the user chose it. */
import { computed, effect } from '@preact/signals';
import type { Codec } from '@insight-host/api';
import { addStyles, type Page, type Setting } from '@insight-host/kit';

export interface CardSizes {
  /** The least width, in pixels: cards grow to fill the board. */
  readonly width: number;
  readonly height: number;
}

const GAP = 12; // pixels between cards
export const USUAL: CardSizes = { width: 312, height: 256 };
const STRETCH = 2; // times as high: cards of the usual size, where few of them share a wide board
const WIDER = 1.25; // times as wide: a card whose section has fewer cards in a line than there is room for
export const LEAST: CardSizes = { width: 200, height: 140 };
export const MOST: CardSizes = { width: 2400, height: 1200 };

const within = (value: number, name: keyof CardSizes): number =>
  Math.round(Math.min(MOST[name], Math.max(LEAST[name], value)));

const isUsual = ({ width, height }: CardSizes): boolean => width === USUAL.width && height === USUAL.height;

/** `500x300`; the usual size is left out. */
export const sizeCodec: Codec<CardSizes> = {
  parse(text) {
    const [, width, height] = /^(\d+)x(\d+)$/.exec(text ?? '') ?? [];
    return width && height
      ? { width: within(Number(width), 'width'), height: within(Number(height), 'height') }
      : USUAL;
  },
  format: (size) => (isUsual(size) ? null : `${size.width}x${size.height}`),
};

export class CardSize {
  readonly setting: Setting<CardSizes>;
  /** A class that changes with the size. */
  readonly look = computed(() => `size-${this.setting.value.width}-${this.setting.value.height}`);

  constructor(page: Page) {
    this.setting = page.setting('size', sizeCodec);
    let remove = (): void => undefined;
    page.until(
      effect(() => {
        const { width, height } = this.setting.value;
        remove();
        const stretch = isUsual(this.setting.value) ? STRETCH : 1;
        remove = addStyles(
          page.ctx,
          `.scalars { --card-width: ${width}px; --card-height: ${height}px; --card-stretch: ${stretch}; }`,
        );
      }),
    );
    page.until(() => remove());
  }

  set(size: Partial<CardSizes>): void {
    const { width, height } = { ...this.setting.value, ...size };
    this.setting.set({ width: within(width, 'width'), height: within(height, 'height') });
  }
}

/** How many cards stand side by side on a board so wide. */
export function columnsOf(width: number, board: number): number {
  return Math.max(1, Math.floor((board + GAP) / (width + GAP)));
}

/** The width of cards of which so many fill a line; one of none fills it in every window. */
export function widthOf(columns: number, board: number): number {
  return columns <= 1 ? MOST.width : Math.floor((board + GAP) / columns) - GAP;
}

/** The size from which a card is resized: what is seen of it, where cards of the usual size are stretched. */
export function sizeFrom(size: CardSizes, shown: CardSizes): CardSizes {
  const isStretched = shown.height > size.height || shown.width > WIDER * size.width;
  return isUsual(size) && isStretched ? shown : size;
}

/** The size after the corner of a card was moved by so many pixels from where it was. */
export function dragged({ width, height }: CardSizes, dx: number, dy: number, board: number): CardSizes {
  const columns = columnsOf(width, board);
  const wanted = (board + GAP) / columns - GAP + dx;
  const next = Math.max(1, Math.round((board + GAP) / (Math.max(LEAST.width, wanted) + GAP)));
  return { width: next === columns ? width : widthOf(next, board), height: height + dy };
}

const KEYS: Readonly<Record<string, readonly [columns: number, height: number]>> = {
  ArrowRight: [-1, 0],
  ArrowLeft: [1, 0],
  ArrowDown: [0, 20],
  ArrowUp: [0, -20],
};

/** The size after a key at the corner; null if the key does not resize. */
export function pressed(key: string, { width, height }: CardSizes, board: number): CardSizes | null {
  const change = KEYS[key];
  if (!change) return null;
  const [more, taller] = change;
  return { width: more === 0 ? width : widthOf(columnsOf(width, board) + more, board), height: height + taller };
}
