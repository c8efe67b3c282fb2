/**
 * Colours of runs: a function of the names alone, so they agree in every view and on every machine.
 *
 * Stability and distinctness pull apart: a colour that depends on one name only must collide by the
 * dozenth run, and colours given out in order change for everybody when a run appears. Here each
 * name hashes to a preferred slot in the first tier of the palette. The first name (in sorted order)
 * that prefers a slot owns it; the others take what is left in that tier, then repeat in the next.
 * A new run can therefore only move the run whose slot it takes and, rarely, those that had found
 * theirs by probing. When every slot is taken, a run gets its preferred colour with a shifted hue.
 */

type Mode = 'light' | 'dark';

const TIER = 8;
// [lightness level, hue]: found by a greedy search for the largest smallest distance in OKLab over
// both themes, as seen with protanopic, deuteranopic (Machado et al. 2009, severity 1) and, at half
// weight, normal vision. The first tier is the most distinct.
const PALETTE: readonly (readonly [number, number])[] = [
  [1, 252], [2, 72], [0, 138], [0, 342], [2, 168], [2, 294], [1, 24], [0, 288],
  [1, 198], [1, 84], [1, 312], [2, 36], [2, 336], [1, 354], [0, 12], [0, 318],
  [0, 180], [2, 186], [1, 168], [1, 138], [2, 126], [2, 354], [0, 228], [1, 228],
];
// Every level has a contrast of at least 3:1 against the background of its theme.
const LIGHTNESS: Record<Mode, readonly [number, number, number]> = {
  light: [0.45, 0.54, 0.63],
  dark: [0.64, 0.73, 0.83],
};
const CHROMA: Record<Mode, number> = { light: 0.14, dark: 0.13 };

export interface Hue {
  readonly level: number;
  readonly hue: number;
}

/** FNV-1a over UTF-16 code units, with the final mixing of MurmurHash3 so that the low bits spread. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

export function assignHues(names: readonly string[]): Map<string, Hue> {
  let waiting = [...new Set(names)].sort();
  const slots = new Map<string, Hue>();
  for (let first = 0; first < PALETTE.length && waiting.length; first += TIER) {
    const taken = new Set<number>();
    const displaced: string[] = [];
    const give = (name: string, slot: number): void => {
      const [level, hue] = PALETTE[first + slot] as readonly [number, number];
      taken.add(slot);
      slots.set(name, { level, hue });
    };
    const preferred = (name: string): number => (hash(name) >>> (3 * (first / TIER))) % TIER;
    for (const name of waiting) {
      if (taken.has(preferred(name))) displaced.push(name);
      else give(name, preferred(name));
    }
    waiting = [];
    for (const name of displaced) {
      let slot = preferred(name);
      for (let probe = 0; probe < TIER && taken.has(slot); probe++) slot = (slot + 3) % TIER;
      if (taken.has(slot)) waiting.push(name);
      else give(name, slot);
    }
  }
  for (const name of waiting) {
    const code = hash(name);
    const [level, hue] = PALETTE[code % PALETTE.length] as readonly [number, number];
    slots.set(name, { level, hue: (hue + 5 + ((code >>> 8) % 350)) % 360 });
  }
  return slots;
}

function channels(lightness: number, chroma: number, hue: number): [number, number, number] {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** OKLCH to `#rrggbb` (Ottosson 2020); chroma is lowered until the colour exists in sRGB. */
export function oklch(lightness: number, chroma: number, hue: number): string {
  let linear = channels(lightness, chroma, hue);
  for (let c = chroma; c > 0 && linear.some((value) => value < -0.0005 || value > 1.0005); c -= 0.004) {
    linear = channels(lightness, c, hue);
  }
  const bytes = linear.map((value) => {
    const x = Math.min(1, Math.max(0, value));
    return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
  });
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export function cssColor({ level, hue }: Hue, mode: Mode): string {
  return oklch(LIGHTNESS[mode][level] as number, CHROMA[mode], hue);
}
