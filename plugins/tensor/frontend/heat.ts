/** How strongly a cell is coloured: its share of the largest positive or the smallest negative value of the tensor. */
import type { Value } from './numbers';

export interface Extremes {
  readonly min: number;
  readonly max: number;
}
export interface Heat {
  readonly sign: 'positive' | 'negative';
  /** 0 to 1. */
  readonly share: number;
}

/** null: zero, not a finite number, or nothing to compare with. */
export function heatOf({ real, imaginary, text }: Value, { min, max }: Extremes): Heat | null {
  if (text !== undefined || imaginary !== undefined) return null;
  const number = Number(real);
  if (!Number.isFinite(number) || number === 0) return null;
  const most = number > 0 ? max : min;
  const share = Math.min(1, number / most);
  return share > 0 ? { sign: number > 0 ? 'positive' : 'negative', share } : null;
}
