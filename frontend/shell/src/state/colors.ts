/**
 * Colours of runs: a function of the names alone, so they agree in every view and on every machine.
 *
 * Twelve hues of about equal lightness, in two tiers: the hues of the first are as far apart as they can be, those of
 * the second lie between them and are a little darker. Each name hashes to a preferred slot of a tier. The first name
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

// Degrees in OKLCH, found by a search for the largest smallest distance in OKLab over both themes, as seen with normal
// and deuteranopic vision (Machado et al. 2009, severity 1).
const SIX = [0, 60, 120, 180, 240, 300];
const TIERS: readonly (readonly number[])[] = [SIX.map((hue) => hue + 44), SIX.map((hue) => hue + 12)];
const COUNT = SIX.length * TIERS.length;
// Every lightness has a contrast of at least 3:1 against the background of its theme.
const LIGHTNESS: Record<Mode, readonly number[]> = { light: [0.6, 0.5], dark: [0.75, 0.65] };
const CHROMA: Record<Mode, number> = { light: 0.19, dark: 0.16 };

interface Hue {
  /** The lightness is that of this tier. */
  readonly level: number;
  /** Degrees in OKLCH. */
  readonly hue: number;
  /** Which of the dashes. */
  readonly dash: number;
}

export function assignHues(names: readonly string[]): Map<string, Hue> {
  let waiting = [...new Set(names)].sort();
  const slots = new Map<string, Hue>();
  const rounds = waiting.length > 2 * COUNT ? 1 : 2;
  for (let round = 0; round < rounds * TIERS.length; round++) {
    const level = round % TIERS.length;
    const dash = Math.floor(round / TIERS.length);
    const tier = TIERS[level] as readonly number[];
    const taken = new Set<number>();
    const displaced: string[] = [];
    const give = (name: string, slot: number): void => {
      taken.add(slot);
      slots.set(name, { level, hue: tier[slot] as number, dash });
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
    slots.set(name, { level: 0, hue: (hash(name) >>> 8) % 360, dash: 0 });
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

export function cssColor({ level, hue }: Hue, mode: Mode): string {
  return oklch(LIGHTNESS[mode][level] as number, CHROMA[mode], hue);
}
