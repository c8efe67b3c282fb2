/** Colours of rows: of the runs, or by the values of a column. */
import type { Theme } from '@insight-host/api';
import type { Axis } from './axes';

export interface Coloring {
  /** Few enough that lines of a colour are drawn together. */
  readonly palette: readonly string[];
  /** By row, a place in the palette. */
  readonly codes: Uint16Array;
  readonly axis: Axis | null;
}

// Viridis (van der Walt and Smith 2015) at even places.
const SEQUENCE: readonly (readonly [number, number, number])[] = [
  [68, 1, 84],
  [71, 44, 122],
  [59, 81, 139],
  [44, 113, 142],
  [33, 144, 141],
  [39, 173, 129],
  [92, 200, 99],
  [170, 220, 50],
  [253, 231, 37],
];
const SHADES = 24;
const MOST_OWN = 200; // runs with a colour each
/** The part of the sequence that stands out against the theme. */
const PART: Readonly<Record<Theme['mode'], readonly [number, number]>> = { light: [0, 0.88], dark: [0.22, 1] };
const HUES = [255, 40, 150, 320, 90, 200, 20, 285, 120, 350];
const LIGHTNESS: Readonly<Record<Theme['mode'], number>> = { light: 0.56, dark: 0.74 };
const FAINT = { light: 'rgb(140 148 158)', dark: 'rgb(110 120 132)' };

/** The colour at a place from 0 to 1. */
export function shadeAt(place: number, mode: Theme['mode']): string {
  const [from, to] = PART[mode];
  const at = (from + place * (to - from)) * (SEQUENCE.length - 1);
  const first = Math.min(SEQUENCE.length - 2, Math.floor(at));
  const [left, right] = [SEQUENCE[first] as readonly number[], SEQUENCE[first + 1] as readonly number[]];
  const mixed = left.map((value, channel) => Math.round(value + (at - first) * ((right[channel] as number) - value)));
  return `rgb(${mixed.join(' ')})`;
}

export function coloringOf(axis: Axis | null, runs: readonly string[], mode: Theme['mode']): Coloring {
  if (!axis) return ownColors(runs, mode);
  if (axis.scale === 'category') {
    const palette = [...HUES.map((hue) => `oklch(${LIGHTNESS[mode]} 0.14 ${hue})`), FAINT[mode]];
    const codes = Uint16Array.from(axis.column.codes, (code, row) =>
      Number.isNaN(axis.places[row]) ? HUES.length : code % HUES.length,
    );
    return { palette, codes, axis };
  }
  const palette = [...Array.from({ length: SHADES }, (_, shade) => shadeAt((shade + 0.5) / SHADES, mode)), FAINT[mode]];
  const codes = Uint16Array.from(axis.places, (place) =>
    Number.isNaN(place) ? SHADES : Math.min(SHADES - 1, Math.floor(place * SHADES)),
  );
  return { palette, codes, axis };
}

/** Thousands of runs have too many colours to tell them apart: then all have one. */
function ownColors(runs: readonly string[], mode: Theme['mode']): Coloring {
  if (runs.length > MOST_OWN)
    return { palette: [`oklch(${LIGHTNESS[mode]} 0.13 255)`], codes: new Uint16Array(runs.length), axis: null };
  const palette = [...new Set(runs)];
  return { palette, codes: Uint16Array.from(runs, (color) => palette.indexOf(color)), axis: null };
}
