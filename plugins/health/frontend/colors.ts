/** Colours of cells. */
import type { Theme } from '@insight-host/api';
import { hexOf, mix, rgbOf } from '@insight-host/kit';

const STOPS = {
  light: { one: ['#eef4d8', '#54b3a6', '#173f73'], both: ['#2b6cb0', '#eceff3', '#b8520f'] },
  dark: { one: ['#16324a', '#2f938b', '#f2efaa'], both: ['#6ab4f5', '#2a313b', '#f6a04d'] },
} as const;
const SHADES = 256;

export interface CellColors {
  /** Red, green and blue of each of 256 shades, end to end. */
  readonly shades: Uint8ClampedArray;
  /** Of cells with values that are not finite. */
  readonly bad: readonly [number, number, number];
  /** For CSS: the shades from left to right. */
  readonly gradient: string;
}

export function cellColors(theme: Theme, diverges: boolean): CellColors {
  const [low, middle, high] = STOPS[theme.mode][diverges ? 'both' : 'one'];
  const shades = new Uint8ClampedArray(3 * SHADES);
  const named: string[] = [];
  for (let shade = 0; shade < SHADES; shade++) {
    const share = (2 * shade) / (SHADES - 1);
    const color = share <= 1 ? mix(low, middle, share) : mix(middle, high, share - 1);
    shades.set(rgbOf(color), 3 * shade);
    if (shade % 15 === 0) named.push(color);
  }
  const bad = rgbOf(theme.token('--danger') || '#d1242f');
  return { shades, bad: [bad[0], bad[1], bad[2]], gradient: `linear-gradient(to right, ${named.join(', ')})` };
}

export const badColor = ({ bad }: CellColors): string => hexOf(bad);

/** RGBA of every cell; one of which nothing is known is transparent. */
export function paintedCells(
  numbers: Float32Array,
  flags: Uint8Array,
  at: (value: number) => number,
  { shades, bad }: CellColors,
): Uint8ClampedArray<ArrayBuffer> {
  const cells = new Uint8ClampedArray(4 * numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const value = numbers[i] as number;
    if (flags[i] !== 0) [cells[4 * i], cells[4 * i + 1], cells[4 * i + 2]] = bad;
    else if (Number.isNaN(value)) continue;
    else {
      const shade = 3 * Math.round(at(value) * (SHADES - 1));
      cells[4 * i] = shades[shade] as number;
      cells[4 * i + 1] = shades[shade + 1] as number;
      cells[4 * i + 2] = shades[shade + 2] as number;
    }
    cells[4 * i + 3] = 255;
  }
  return cells;
}
