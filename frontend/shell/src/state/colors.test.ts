import { hash, oklch } from '@insight-host/kit';
import { describe, expect, it } from 'vitest';
import { assignHues, cssColor, runLooks } from './colors';

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `exp/lr=0.${at}/seed_${at % 7}`);

function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(left: string, right: string): number {
  const [low, high] = [luminance(left), luminance(right)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const linear = (hex: string): number[] =>
  [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
const times = (matrix: readonly (readonly number[])[], vector: readonly number[]): number[] =>
  matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * (vector[at] as number), 0));
/** OKLab of linear sRGB (Ottosson 2020). */
function oklab(rgb: readonly number[]): number[] {
  const cone = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  );
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cone.map(Math.cbrt),
  );
}
// Machado et al. 2009, severity 1.
const VISIONS = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const;
const seenWith =
  (vision: keyof typeof VISIONS) =>
  (rgb: readonly number[]): number[] =>
    times(VISIONS[vision], rgb).map((value) => Math.max(0, Math.min(1, value)));

function nearestPair(
  colors: readonly string[],
  seen: (rgb: readonly number[]) => readonly number[] = (rgb) => rgb,
): number {
  const points = colors.map((color) => oklab(seen(linear(color))));
  return Math.min(
    ...points.flatMap((a, i) =>
      points.slice(i + 1).map((b) => Math.hypot(...a.map((value, at) => value - (b[at] as number)))),
    ),
  );
}

describe('colours of runs', () => {
  it('converts OKLCH to sRGB', () => {
    expect(oklch(1, 0, 0)).toBe('#ffffff');
    expect(oklch(0, 0, 0)).toBe('#000000');
    expect(oklch(0.627955, 0.257683, 29.2339)).toBe('#ff0000');
  });

  it('stays inside sRGB where the chroma does not exist', () => {
    expect(oklch(0.95, 0.3, 260)).toMatch(/^#[0-9a-f]{6}$/);
  });

  it('gives every run its own colour while the palette lasts, then its own pair of colour and dash', () => {
    for (const count of [1, 2, 8, 9, 12, 16, 20, 24]) {
      const looks = [...runLooks(names(count), 'light').values()];
      expect(new Set(looks.map(({ color, dash }) => `${color} ${dash}`)).size).toBe(count);
      expect(new Set(looks.map(({ color }) => color)).size).toBe(Math.min(count, 12));
      expect(looks.filter(({ dash }) => dash.length > 0)).toHaveLength(Math.max(0, count - 12));
    }
    expect([...runLooks(names(60), 'light').values()].every(({ dash }) => dash.length === 0)).toBe(true);
  });

  // two colours next to each other differ for the eye from about 0.02 on
  it.each([
    [6, 0.12, 0.07],
    [12, 0.09, 0.05],
  ])('tells %i runs apart on both themes, whatever their names, with any vision', (count, normal, without) => {
    for (const run of ['lr', 'exp/seed_', '实验']) {
      const hues = [...assignHues(Array.from({ length: count }, (_, at) => `${run}${at}`)).values()];
      for (const mode of ['light', 'dark'] as const) {
        const colors = hues.map((hue) => cssColor(hue, mode));
        expect(nearestPair(colors)).toBeGreaterThan(normal);
        for (const vision of Object.keys(VISIONS) as (keyof typeof VISIONS)[])
          expect(nearestPair(colors, seenWith(vision))).toBeGreaterThan(without);
      }
    }
  });

  it('depends on the names, not on their order or on repetitions', () => {
    const all = names(30);
    const shuffled = [...all].reverse();
    expect(new Map([...assignHues([...shuffled, ...all])].sort())).toEqual(new Map([...assignHues(all)].sort()));
  });

  it('rarely changes the colours of others when a run is added', () => {
    let moved = 0;
    let compared = 0;
    for (let count = 2; count < 40; count++) {
      const before = assignHues(names(count));
      const after = assignHues([...names(count), `new/${count}`]);
      for (const [name, hue] of before) {
        compared += 1;
        if (cssColor(hue, 'light') !== cssColor(after.get(name) ?? hue, 'light')) moved += 1;
      }
    }
    expect(moved / compared).toBeLessThan(0.12);
  });

  it('is visible on both backgrounds, beyond the palette too', () => {
    const all = assignHues(names(500));
    expect(all.size).toBe(500);
    for (const hue of all.values()) {
      for (const [mode, background] of [
        ['light', '#ffffff'],
        ['light', '#f7f8fa'],
        ['dark', '#0f1318'],
        ['dark', '#161b22'],
      ] as const) {
        expect(contrast(cssColor(hue, mode), background)).toBeGreaterThanOrEqual(3);
      }
    }
  });

  it('hashes unicode names, and spreads similar ones', () => {
    expect(new Set(names(200).map((name) => hash(name) % 8)).size).toBe(8);
    expect(hash('训练/一')).not.toBe(hash('训练/二'));
  });
});
