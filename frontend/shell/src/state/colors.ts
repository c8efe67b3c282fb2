/**
 * Colours of runs: a function of the names alone, so they agree in every view and on every machine.
 *
 * Twelve colours of about equal lightness, in two tiers: those of the first are as far apart as they can be, those of
 * the second lie between them. Each name hashes to a preferred slot of a tier. The first name
 * (in sorted order) that prefers a slot owns it; the others take what is left in that tier, and those for whom nothing
 * is left go on to the next. A new run can therefore only move the run whose slot it takes and, rarely, those that had
 * found theirs by probing. Beyond twelve names the same hues come again with dashes; where there are more than twice
 * as many, dashes would only make noise, and names without a slot get a shifted hue.
 */

import { hash, oklch } from '@insight-host/kit';

type Mode = 'light' | 'dark';

/** How the line of a run or of a value looks. */
export interface LineLook {
  readonly color: string;
  readonly dash: readonly number[];
}

/** Lengths of dashes and gaps, in pixels, that tell lines apart without colours. */
export const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [16, 4], [5, 2, 1, 2, 1, 2]];

// Degrees in OKLCH, and how much lighter than the theme's lightness: found by a search for the largest smallest
// distance in OKLab over both themes, as seen with normal vision, protanopia, deuteranopia and tritanopia (Machado et
// al. 2009, severity 1). With one lightness, two of twelve hues are the same to protanopes.
const TIERS: readonly (readonly (readonly [hue: number, lift: number])[])[] = [
  [
    [23, -0.06],
    [110, 0.04],
    [173, -0.07],
    [259, 0.08],
    [322, -0.08],
    [351, 0.03],
  ],
  [
    [12, 0.1],
    [130, -0.11],
    [160, 0.05],
    [223, -0.02],
    [272, -0.1],
    [314, 0.03],
  ],
];
const COUNT = TIERS.reduce((sum, tier) => sum + tier.length, 0);
// Every colour has a contrast of at least 3:1 against the background of its theme.
const LIGHTNESS: Record<Mode, number> = { light: 0.575, dark: 0.75 };
const CHROMA: Record<Mode, number> = { light: 0.19, dark: 0.16 };

interface Hue {
  /** Degrees in OKLCH. */
  readonly hue: number;
  /** How much lighter than the lightness of the theme. */
  readonly lift: number;
  /** Which of the dashes. */
  readonly dash: number;
}

export function assignHues(names: readonly string[]): Map<string, Hue> {
  let waiting = [...new Set(names)].sort();
  const slots = new Map<string, Hue>();
  const rounds = waiting.length > 2 * COUNT ? 1 : 2;
  for (let round = 0; round < rounds * TIERS.length; round++) {
    const dash = Math.floor(round / TIERS.length);
    const tier = TIERS[round % TIERS.length] as (typeof TIERS)[number];
    const taken = new Set<number>();
    const displaced: string[] = [];
    const give = (name: string, slot: number): void => {
      taken.add(slot);
      const [hue, lift] = tier[slot] as (typeof tier)[number];
      slots.set(name, { hue, lift, dash });
    };
    const preferred = (name: string): number => (hash(name) >>> (4 * round)) % tier.length;
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
  }
  for (const name of waiting) {
    slots.set(name, { hue: (hash(name) >>> 8) % 360, lift: 0, dash: 0 });
  }
  return slots;
}

const STRIDE = 5; // has no factor in common with the size of a tier: probing comes by every slot

/** The look of each run among all of them. */
export function runLooks(names: readonly string[], mode: Mode): ReadonlyMap<string, LineLook> {
  return new Map(
    [...assignHues(names)].map(([name, hue]) => [
      name,
      { color: cssColor(hue, mode), dash: DASHES[hue.dash] as readonly number[] },
    ]),
  );
}

export function cssColor({ hue, lift }: Hue, mode: Mode): string {
  return oklch(LIGHTNESS[mode] + lift, CHROMA[mode], hue);
}
