import { mix } from '@insight-host/kit';
import type { Palette } from '@insight-host/kit/draw';

const FAINTEST = 0.24;
let latest: { readonly key: string; readonly shades: readonly string[] } = { key: '', shades: [] };

/** So many colours from the faint one of the first row to the full one of the last. */
export function ramp(color: string, colors: Palette, count: number): readonly string[] {
  const key = `${color} ${colors.surface} ${count}`; // computed at every pointer move
  if (latest.key !== key) {
    const share = (i: number): number => (count === 1 ? 1 : FAINTEST + (1 - FAINTEST) * (i / (count - 1)));
    latest = { key, shades: Array.from({ length: count }, (_, i) => mix(colors.surface, color, share(i))) };
  }
  return latest.shades;
}
