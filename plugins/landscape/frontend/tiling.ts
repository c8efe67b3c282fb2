export const GAP = 12; // pixels between tiles
const NARROWEST = 300; // pixels
const LOWEST = 240;
const [SLIMMEST, FLATTEST] = [0.75, 1.6]; // width to height, beyond which more space makes no better picture
const THINNEST = 0.5; // width to height of tiles that fill the height

export interface Tiling {
  readonly columns: number;
  /** Of each tile, in pixels. */
  readonly height: number;
}

/** How `count` tiles fill a place best: without scrolling where they then are large enough to read. */
export function tilingOf(width: number, height: number, count: number): Tiling {
  const most = Math.max(1, Math.floor((width + GAP) / (NARROWEST + GAP)));
  let best: Tiling | null = null;
  let largest = 0;
  for (let columns = 1; columns <= Math.min(most, count); columns++) {
    const rows = Math.ceil(count / columns);
    const [wide, high] = [(width - GAP * (columns - 1)) / columns, (height - GAP * (rows - 1)) / rows];
    const tall = Math.min(high, wide / SLIMMEST);
    const area = Math.min(wide, tall * FLATTEST) * tall;
    if (tall < LOWEST || area <= largest) continue;
    largest = area;
    best = { columns, height: Math.floor(Math.min(high, wide / THINNEST)) };
  }
  if (best) return best;
  const columns = Math.min(most, Math.max(1, count));
  const wide = (width - GAP * (columns - 1)) / columns;
  return { columns, height: Math.round(Math.max(LOWEST, Math.min((wide * 3) / 4, height))) };
}
