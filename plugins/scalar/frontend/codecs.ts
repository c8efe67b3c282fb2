/** Codecs of the scalar tab's own keys of the view in the page's URL. */
import type { Codec } from '@insight-host/api';
import { codecs } from '@insight-host/kit';

export const MAX_SMOOTHING = 0.999;

/** Weight of smoothing; anything that is not a number from 0 to 0.999 is none. */
export const smoothing: Codec<number> = {
  parse: (t) => clampSmoothing(t === null ? 0 : Number(t)),
  format: (value) => (value > 0 ? String(Number(value.toFixed(3))) : null),
};

function clampSmoothing(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.min(MAX_SMOOTHING, value)) : 0;
}

export type Range = readonly [number, number];
export interface Zoom {
  readonly x: Range | null;
  readonly y: Range | null;
}

const range = (from: string | undefined, to: string | undefined): Range | null => {
  const [a, b] = [Number(from), Number(to)];
  return from && to && Number.isFinite(a) && Number.isFinite(b) && a < b ? [a, b] : null;
};

export function parseZoom(t: string): Zoom | null {
  const parts = t.split(',');
  const zoom = { x: range(parts[0], parts[1]), y: range(parts[2], parts[3]) };
  return zoom.x || zoom.y ? zoom : null;
}

export function formatZoom({ x, y }: Zoom): string {
  return [...(x ?? ['', '']), ...(y ?? ['', ''])].join(',').replace(/,+$/, '');
}

/** A window with as many digits as a screen can show, so that URLs stay short. */
export function rounded(window: Range | null): Range | null {
  if (!window) return null;
  const digits = Math.max(0, Math.min(15, 5 - Math.floor(Math.log10(window[1] - window[0]))));
  const [from, to] = [Number(window[0].toFixed(digits)), Number(window[1].toFixed(digits))];
  return from < to ? [from, to] : window;
}

export const zooms = codecs.byTag(parseZoom, formatZoom);
export const linkedZoom: Codec<Range | null> = {
  parse: (t) => (t ? range(t.split(',')[0], t.split(',')[1]) : null),
  format: (value) => (value ? value.join(',') : null),
};

export interface LogFlags {
  readonly x: boolean;
  readonly y: boolean;
}

/** Cards whose axes differ from the toolbar's: `x`, `y`, `xy`, or `-` for both linear. */
export const logFlags = codecs.byTag<LogFlags>(
  (t) => (/^(-|x?y?)$/.test(t) && t !== '' ? { x: t.includes('x'), y: t.includes('y') } : null),
  (value) => `${value.x ? 'x' : ''}${value.y ? 'y' : ''}` || '-',
);

export const pairs = codecs.byTag<string>(codecs.decoded, codecs.encoded);
