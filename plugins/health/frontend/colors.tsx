/** What the colours mean: from a number to its place in the legend, to the colour of a cell. */
import type { Theme } from '@insight-host/api';
import { hexOf, mix, rgbOf } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { HeatMap, Measure } from './answer';
import { numberText } from './words';

export interface Scale {
  /** From 0 to 1. */
  at(value: number): number;
  /** Numbers at the begin, in the middle and at the end of the legend. */
  readonly ends: readonly [number, number, number];
  /** The middle is 0, and both sides have a colour. */
  readonly diverges: boolean;
}

const LOOKED_AT = 20_000; // numbers that decide the ends
const OUT = 0.01; // share at each end that may be beyond

/** The scale of a measure for these numbers: shares from 0 to 1, means about 0, and all others by powers of ten. */
export function scaleOf(measure: Measure, numbers: Float32Array): Scale {
  if (measure === 'zeros' || measure === 'dead')
    return { at: (value) => Math.max(0, Math.min(1, value)), ends: [0, 0.5, 1], diverges: false };
  const sizes = sample(numbers);
  if (measure === 'mean') {
    const most = sizes[Math.max(0, Math.ceil((1 - OUT) * sizes.length) - 1)] ?? 1;
    const at = (value: number): number =>
      Math.max(0, Math.min(1, 0.5 + Math.sign(value) * 0.5 * Math.sqrt(Math.abs(value) / most)));
    return { at, ends: [-most, 0, most], diverges: true };
  }
  const [low, high] = widened(
    sizes[Math.floor(OUT * sizes.length)] ?? 1,
    sizes.at(-1 - Math.floor(OUT * sizes.length)) ?? 1,
  );
  const [from, length] = [Math.log10(low), Math.log10(high) - Math.log10(low)];
  return {
    at: (value) => (value > 0 ? Math.max(0, Math.min(1, (Math.log10(value) - from) / length)) : 0),
    ends: [low, 10 ** (from + length / 2), high],
    diverges: false,
  };
}

/** Sizes of numbers that are neither 0 nor missing, in order. */
function sample(numbers: Float32Array): Float32Array {
  const every = Math.max(1, Math.floor(numbers.length / LOOKED_AT));
  const found: number[] = [];
  for (let i = 0; i < numbers.length; i += every) {
    const size = Math.abs(numbers[i] as number);
    if (size > 0) found.push(size);
  }
  return Float32Array.from(found).sort();
}

/** At least a factor of 2, so that noise does not look like a change. */
function widened(low: number, high: number): readonly [number, number] {
  const missing = Math.sqrt(2 / Math.max(1, Math.min(2, high / low)));
  return [low / missing, high * missing];
}

const STOPS = {
  light: { one: ['#eef4d8', '#54b3a6', '#173f73'], both: ['#2b6cb0', '#eceff3', '#b8520f'] },
  dark: { one: ['#16324a', '#2f938b', '#f2efaa'], both: ['#6ab4f5', '#2a313b', '#f6a04d'] },
} as const;
const SHADES = 256;

/** Colours of cells. */
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

const badColor = ({ bad }: CellColors): string => hexOf(bad);

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

interface LegendProps {
  readonly map: HeatMap;
  readonly scale: Scale;
  readonly colors: CellColors;
  readonly locale: string;
  readonly say: (key: string) => string;
}

/** What the colours mean. */
export function Legend({ map, scale, colors, locale, say }: LegendProps): JSX.Element {
  const [low, middle, high] = scale.ends.map((value) => numberText(map.measure, value, locale));
  return (
    <div class="legend" data-testid="legend">
      <span>{say(`measure.${map.measure}`)}</span>
      <span class="ramp">
        <span class="bar" style={{ background: colors.gradient }} />
        <span class="ends">
          <span>{low}</span>
          <span>{middle}</span>
          <span>{high}</span>
        </span>
      </span>
      <span class="key">
        <span class="swatch" style={{ background: badColor(colors) }} /> {say('legend.bad')}
      </span>
      <span class="key">
        <span class="swatch none" /> {say('legend.none')}
      </span>
    </div>
  );
}
