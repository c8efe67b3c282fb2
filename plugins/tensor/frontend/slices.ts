/**
 * Which part of a tensor is looked at: `[0, 2:5, :, -1]`, a range or an index for each dimension.
 *
 * The server has the same grammar (slices.py); tests/fixtures/slices.json is what both must give.
 */
const MOST_OPEN = 2;

type SliceReason = 'count' | 'form' | 'index' | 'empty' | 'open';

/** Why a text is not a slice of a shape, and in which dimension; -1: as a whole. */
export class SliceError extends Error {
  override readonly name = 'SliceError';

  constructor(
    readonly reason: SliceReason,
    readonly dimension: number,
  ) {
    super(reason);
  }
}

/** The selection of one dimension: `[start, stop)`. An index is not `open`: it drops its dimension. */
interface Selected {
  readonly start: number;
  readonly stop: number;
  readonly open: boolean;
}

const ITEM = /^(?:(-?[0-9]{1,15})|(-?[0-9]{1,15})?\s*:\s*(-?[0-9]{1,15})?)$/;

/** The items of a text, one for each dimension. */
export function itemsOf(text: string, rank: number): readonly string[] {
  const trimmed = text.trim();
  const inside =
    trimmed.startsWith('[') && trimmed.endsWith(']') && trimmed.length > 1 ? trimmed.slice(1, -1).trim() : trimmed;
  return inside ? inside.split(',').map((item) => item.trim()) : defaultItems(rank);
}

export function defaultItems(rank: number): readonly string[] {
  return Array.from({ length: rank }, (_, place) => (place < rank - MOST_OPEN ? '0' : ':'));
}

/** Throws SliceError. Without text: the last two dimensions, and index 0 of the others. */
export function parseSlice(text: string, shape: readonly number[]): readonly Selected[] {
  const items = itemsOf(text, shape.length);
  if (items.length !== shape.length) throw new SliceError('count', -1);
  const found = items.map((item, dimension) => selected(item, dimension, shape[dimension] as number));
  if (found.filter(({ open }) => open).length > MOST_OPEN) throw new SliceError('open', -1);
  return found;
}

function selected(item: string, dimension: number, size: number): Selected {
  const match = ITEM.exec(item);
  if (!match) throw new SliceError('form', dimension);
  if (match[1] !== undefined) {
    const index = Number(match[1]);
    if (index < -size || index >= size) throw new SliceError('index', dimension);
    const start = index < 0 ? index + size : Math.abs(index);
    return { start, stop: start + 1, open: false };
  }
  const start = bound(match[2], 0, size);
  const stop = bound(match[3], size, size);
  if (start >= stop && size > 0) throw new SliceError('empty', dimension);
  return { start, stop: Math.max(start, stop), open: true };
}

function bound(text: string | undefined, fallback: number, size: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  return Math.max(0, Math.min(size, value < 0 ? value + size : value));
}
