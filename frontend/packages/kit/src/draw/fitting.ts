import { estimatedWidth } from './painter';
import type { Scale } from './scale';
import type { Tick } from './axis';

const SIZE = 11; // pixels of the letters of an axis
const WIDER = 1.15; // than estimated: digits of some fonts
const GAP = 8; // pixels between two texts

/** Where texts may be; those of an axis move inwards from the edges of a picture. */
export type Room = readonly [number, number];

/** The middle of a text at `x` that stays within the room. */
export function textPlace(x: number, text: string, [from, to]: Room): number {
  const half = halfOf(text) + 2;
  return Math.max(from + half, Math.min(to - half, x));
}

/**
 * Ticks of a horizontal axis: `make(count)` of the largest count, from `most` down, whose texts do not touch. Where
 * only fewer than two texts would be left, those of `most` that touch the one before lose their text instead.
 */
export function fittingTicks(scale: Scale, room: Room, most: number, make: (count: number) => Tick[]): Tick[] {
  const all = make(Math.max(1, most));
  const without = touching(all, scale, room);
  if (without.size === 0) return all;
  for (let count = most - 1; count >= 1; count--) {
    const ticks = make(count);
    if (ticks.filter(({ label }) => label).length < 2) break;
    if (touching(ticks, scale, room).size === 0) return ticks;
  }
  return all.map((tick) => (without.has(tick) ? { ...tick, label: '' } : tick));
}

const halfOf = (text: string): number => (estimatedWidth(text, SIZE) * WIDER) / 2;

/** Ticks whose text touches that of the one before which has room. */
function touching(ticks: readonly Tick[], scale: Scale, room: Room): Set<Tick> {
  const found = new Set<Tick>();
  let end = -Infinity;
  for (const tick of ticks) {
    if (!tick.label) continue;
    const middle = textPlace(scale.toPixel(tick.value), tick.label, room);
    const half = halfOf(tick.label);
    if (middle - half < end + GAP || 2 * half > room[1] - room[0]) found.add(tick);
    else end = middle + half;
  }
  return found;
}
