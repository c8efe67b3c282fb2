/** Colours of rows: those of the runs, or by the values of a column while nobody has chosen any. */
import type { Run, Theme } from '@insight-host/api';
import type { Column } from '@insight-host/kit/runs';
import type { Axis } from './axes';

/** What colours say that follow the values of a column. */
interface ColorBar {
  readonly column: Column;
  readonly low: number;
  readonly high: number;
  /** Of a CSS gradient, from low to high. */
  readonly stops: readonly string[];
  /** The run panel has not chosen it. */
  readonly isDefault: boolean;
}

export interface Coloring {
  /** Few enough that lines of a colour are drawn together. */
  readonly palette: readonly string[];
  /** By place in the palette, lengths of dashes and gaps; empty where lines are solid. */
  readonly dashes: readonly (readonly number[])[];
  /** By row, a place in the palette. */
  readonly codes: Uint16Array;
  readonly bar: ColorBar | null;
}

type Look = Pick<Run, 'color' | 'dash'>;

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
const LIGHTNESS: Readonly<Record<Theme['mode'], number>> = { light: 0.56, dark: 0.74 };
const FAINT = { light: 'rgb(140 148 158)', dark: 'rgb(110 120 132)' };

/** The colour at a place from 0 to 1. */
function shadeAt(place: number, mode: Theme['mode']): string {
  const [from, to] = PART[mode];
  const at = (from + place * (to - from)) * (SEQUENCE.length - 1);
  const first = Math.min(SEQUENCE.length - 2, Math.floor(at));
  const [left, right] = [SEQUENCE[first] as readonly number[], SEQUENCE[first + 1] as readonly number[]];
  const mixed = left.map((value, channel) => Math.round(value + (at - first) * ((right[channel] as number) - value)));
  return `rgb(${mixed.join(' ')})`;
}

/** By the places of rows on an axis of numbers. */
export function coloredAlong(axis: Axis, mode: Theme['mode']): Coloring {
  const shades = Array.from({ length: SHADES }, (_, shade) => shadeAt((shade + 0.5) / SHADES, mode));
  const codes = Uint16Array.from(axis.places, (place) =>
    Number.isNaN(place) ? SHADES : Math.min(SHADES - 1, Math.floor(place * SHADES)),
  );
  const bar = { column: axis.column, low: axis.valueAt(0), high: axis.valueAt(1), stops: shades, isDefault: true };
  return { palette: [...shades, FAINT[mode]], dashes: [], codes, bar };
}

/** As the runs look; `axis` is that of the numbers that colour them, if there are any. */
export function coloredAsRuns(looks: readonly Look[], axis: Axis | null): Coloring {
  const places = new Map<string, number>();
  const palette: string[] = [];
  const dashes: (readonly number[])[] = [];
  const codes = Uint16Array.from(looks, ({ color, dash }) => {
    const key = `${color} ${dash.join()}`;
    let place = places.get(key);
    if (place === undefined) {
      places.set(key, (place = palette.length));
      palette.push(color);
      dashes.push(dash);
    }
    return place;
  });
  return { palette, dashes, codes, bar: axis && axis.scale !== 'category' ? barOf(axis, looks) : null };
}

/** Colours of their own: thousands of runs have too many to tell them apart, then all have one. */
export function ownColors(looks: readonly Look[], mode: Theme['mode']): Coloring {
  if (looks.length <= MOST_OWN) return coloredAsRuns(looks, null);
  const palette = [`oklch(${LIGHTNESS[mode]} 0.13 255)`];
  return { palette, dashes: [], codes: new Uint16Array(looks.length), bar: null };
}

/** The scale is that of the run panel: the bar has the colours of the runs, each where its value is on the axis. */
function barOf(axis: Axis, looks: readonly Look[]): ColorBar | null {
  const rows = [...axis.places.keys()].filter((row) => !Number.isNaN(axis.places[row]));
  rows.sort((a, b) => (axis.places[a] as number) - (axis.places[b] as number));
  if (rows.length === 0) return null;
  const [first, last] = [rows[0] as number, rows.at(-1) as number];
  const most = Math.min(SHADES, rows.length);
  const taken = Array.from(
    { length: most },
    (_, at) => rows[Math.round((at / Math.max(1, most - 1)) * (rows.length - 1))],
  );
  const [from, to] = [axis.places[first] as number, axis.places[last] as number];
  const stops = taken.map((row = first) => {
    const place = to > from ? ((axis.places[row] as number) - from) / (to - from) : 0;
    return `${looks[row]?.color ?? 'currentColor'} ${(100 * place).toFixed(1)}%`;
  });
  if (stops.length === 1) stops.push(...stops);
  const [low, high] = [axis.valueAt(from), axis.valueAt(to)];
  return { column: axis.column, low, high, stops, isDefault: false };
}
