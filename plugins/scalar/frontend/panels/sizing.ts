/** Sizes of panels: twelfths of the width of the board, and pixels. */
import { COLUMNS, HEIGHT, type Panel } from './panels';

const GAP = 12; // pixels between panels
const LEAST = 280; // pixels: narrower ones cannot be read
export const USUAL = 4; // twelfths

export interface PanelSize {
  readonly width: number;
  readonly height: number;
}

/** The size of a panel as the user chose it, else the usual one. */
export function sizeOf({ width, height }: Pick<Panel, 'width' | 'height'>): PanelSize {
  return { width: width ?? USUAL, height: height ?? HEIGHT.usual };
}

/** How many twelfths a panel takes on a board so wide: at least as many as it needs to be read. */
export function spanOn(board: number, width: number): number {
  const least = Math.ceil((COLUMNS * (LEAST + GAP)) / Math.max(1, board + GAP));
  return Math.min(COLUMNS, Math.max(width, board > 0 ? least : 1));
}

/** The size after the corner of a panel was moved by so many pixels. */
export function resized(from: PanelSize, dx: number, dy: number, board: number): PanelSize {
  const column = (board + GAP) / COLUMNS;
  return bounded({ width: spanOn(board, from.width) + Math.round(dx / column), height: from.height + dy });
}

const KEYS: Readonly<Record<string, readonly [width: number, height: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, HEIGHT.step],
  ArrowUp: [0, -HEIGHT.step],
  End: [COLUMNS, 0],
  Home: [-COLUMNS, 0],
};

/** The size after a key; null if the key does not resize. */
export function resizedBy(key: string, { width, height }: PanelSize): PanelSize | null {
  const [more, taller] = KEYS[key] ?? [];
  return more === undefined || taller === undefined ? null : bounded({ width: width + more, height: height + taller });
}

function bounded({ width, height }: PanelSize): PanelSize {
  const even = HEIGHT.step * Math.round(height / HEIGHT.step);
  return {
    width: Math.min(COLUMNS, Math.max(1, width)),
    height: Math.min(HEIGHT.most, Math.max(HEIGHT.least, even)),
  };
}
