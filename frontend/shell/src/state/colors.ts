/**
 * Colours of runs: a function of the names alone, so they agree in every view and on every machine.
 *
 * Stability and distinctness pull apart: a colour that depends on one name only must collide by the
 * fifth run or so, and colours given out in order change for everybody when a run appears. The
 * balance here: the palette is made of tiers, the first far apart, each later one closer; runs fill
 * the smallest tiers that hold them all. In a tier each name hashes to a preferred slot. The first
 * name (in sorted order) that prefers a slot owns it; the others take what is left in that tier, and
 * those for whom nothing is left go on to the next. A new run can therefore only move the run whose
 * slot it takes and, rarely, those that had found theirs by probing. When every slot is taken, a run
 * gets a colour of the palette with a shifted hue.
 */

import { hash, oklch } from '@insight-host/kit';

type Mode = 'light' | 'dark';

// [lightness level, hue, share of the chroma]: found by a search for the largest smallest distance in
// OKLab over both themes, as seen with normal, protanopic and deuteranopic vision (Machado et al. 2009,
// severity 1), the latter two weighted 1.6, 1.8 and 4 in the three tiers. The smallest distances are
// 0.15, 0.10 and 0.06 with normal vision for 8, 12 and 24 runs; 0.09 and 0.05 for 8 and 12 without it.
const TIERS: readonly (readonly (readonly [number, number, number?])[])[] = [
  [
    [0, 120, 0.5],
    [2, 248],
    [0, 256],
    [2, 128],
    [1, 184],
    [0, 344],
    [1, 296],
    [1, 72],
  ],
  [
    [2, 176],
    [2, 40, 0.5],
    [1, 256, 0.5],
    [1, 8],
  ],
  [
    [0, 24, 0.5],
    [2, 336],
    [0, 296, 0.5],
    [1, 336],
    [0, 184, 0.5],
    [1, 128, 0.5],
    [0, 296],
    [2, 88, 0.5],
    [1, 0, 0.5],
    [1, 144],
    [0, 320],
    [2, 144, 0.5],
  ],
];
const PALETTE = TIERS.flat();
// Every level has a contrast of at least 3:1 against the background of its theme.
const LIGHTNESS: Record<Mode, readonly [number, number, number]> = {
  light: [0.37, 0.5, 0.63],
  dark: [0.58, 0.72, 0.86],
};
const CHROMA: Record<Mode, number> = { light: 0.17, dark: 0.155 };

export interface Hue {
  readonly level: number;
  /** Degrees in OKLCH. */
  readonly hue: number;
  /** Share of the theme's chroma. */
  readonly chroma: number;
}

export function assignHues(names: readonly string[]): Map<string, Hue> {
  let waiting = [...new Set(names)].sort();
  const slots = new Map<string, Hue>();
  TIERS.forEach((tier, depth) => {
    const taken = new Set<number>();
    const displaced: string[] = [];
    const give = (name: string, slot: number): void => {
      taken.add(slot);
      slots.set(name, hueOf(tier[slot]));
    };
    const preferred = (name: string): number => (hash(name) >>> (4 * depth)) % tier.length;
    for (const name of waiting) {
      if (taken.has(preferred(name))) displaced.push(name);
      else give(name, preferred(name));
    }
    waiting = [];
    for (const name of displaced) {
      let slot = preferred(name);
      for (let probe = 0; probe < tier.length && taken.has(slot); probe++) slot = (slot + STRIDE) % tier.length;
      if (taken.has(slot)) waiting.push(name);
      else give(name, slot);
    }
  });
  for (const name of waiting) {
    const code = hash(name);
    const { level, hue, chroma } = hueOf(PALETTE[code % PALETTE.length]);
    slots.set(name, { level, hue: (hue + 5 + ((code >>> 8) % 350)) % 360, chroma });
  }
  return slots;
}

const STRIDE = 5; // has no factor in common with the size of a tier: probing comes by every slot

function hueOf([level, hue, chroma = 1]: readonly [number, number, number?] = [1, 0]): Hue {
  return { level, hue, chroma };
}

/** The colour of each run among all of them. */
export function runColors(names: readonly string[], mode: Mode): ReadonlyMap<string, string> {
  return new Map([...assignHues(names)].map(([name, hue]) => [name, cssColor(hue, mode)]));
}

export function cssColor({ level, hue, chroma }: Hue, mode: Mode): string {
  return oklch(LIGHTNESS[mode][level] as number, CHROMA[mode] * chroma, hue);
}
