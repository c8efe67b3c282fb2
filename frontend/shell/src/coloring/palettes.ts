/** Palettes of runs and of values of a column: colours for categories, and scales for numbers. */
import { hash, mix } from '@insight-host/kit';
import type { Theme } from '@insight-host/api';
import { DASHES, type LineLook, runLooks } from '../state/colors';

type Mode = Theme['mode'];

export const PALETTES = ['wide', 'okabe-ito', 'tab20'] as const;
export type PaletteName = (typeof PALETTES)[number];
export const SCALES = ['viridis', 'cividis', 'plasma'] as const;
export type ScaleName = (typeof SCALES)[number];

/** The colour that stands out against the page, whatever its theme. */
const INK = { light: '#000000', dark: '#e8e8e8' };
const FAINT = { light: '#8c949e', dark: '#6e7884' };

const list = (text: string): readonly string[] => text.split(' ').map((digits) => `#${digits}`);
// Okabe and Ito 2008, in which black is that of the theme; tab20 of Matplotlib and Vega.
const OKABE_ITO = list('e69f00 56b4e9 009e73 0072b2 d55e00 cc79a7 f0e442');
const TAB20 = list(
  '1f77b4 ff7f0e 2ca02c d62728 9467bd 8c564b e377c2 7f7f7f bcbd22 17becf ' +
    'aec7e8 ffbb78 98df8a ff9896 c5b0d5 c49c94 f7b6d2 c7c7c7 dbdb8d 9edae5',
);
// Viridis and plasma: van der Walt and Smith 2015; cividis: Nuñez et al. 2018. At even places.
const STOPS: Readonly<Record<ScaleName, readonly string[]>> = {
  viridis: list('440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725'),
  cividis: list('00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838'),
  plasma: list('0d0887 46039f 7201a8 9c179e bd3786 d8576b ed7953 fb9f3a fdca26 f0f921'),
};
/** The part of a scale that stands out against the theme. */
const PART: Readonly<Record<Mode, readonly [number, number]>> = { light: [0, 0.88], dark: [0.22, 1] };

/** What has no value to be coloured by. */
export const faint = (mode: Mode): string => FAINT[mode];

/**
 * A look for each name, the same whichever others there are, as far as that goes: each prefers the place that its
 * hash says, and takes the next one that is free. When all colours are taken, they come again with other dashes.
 */
export function looksOf(names: readonly string[], palette: PaletteName, mode: Mode): ReadonlyMap<string, LineLook> {
  if (palette === 'wide') return runLooks(names, mode);
  const colors = palette === 'tab20' ? TAB20 : [...OKABE_ITO, INK[mode]];
  const found = new Map<string, LineLook>();
  let taken = new Set<number>();
  let round = 0;
  for (const name of [...new Set(names)].sort()) {
    let place = hash(name) % colors.length;
    while (taken.has(place)) place = (place + 1) % colors.length;
    taken.add(place);
    found.set(name, { color: colors[place] as string, dash: DASHES[round % DASHES.length] as readonly number[] });
    if (taken.size < colors.length) continue;
    taken = new Set();
    round += 1;
  }
  return found;
}

/** The colour at a place from 0 to 1. */
export function shadeAt(place: number, scale: ScaleName, mode: Mode): string {
  const [from, to] = PART[mode];
  const stops = STOPS[scale];
  const at = (from + place * (to - from)) * (stops.length - 1);
  const first = Math.min(stops.length - 2, Math.floor(at));
  return mix(stops[first] as string, stops[first + 1] as string, at - first);
}
