/** Stretches of time, in ns from the beginning of the profile, and how one moves and zooms among them. */
import type { Codec } from '@insight-host/api';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What was chosen with Shift: a stretch of some tracks, or of all. */
export interface Range extends Span {
  readonly tracks: readonly number[] | null;
}

export const NEAREST = 50; // ns that the picture shows at least

export const lengthOf = ({ from, to }: Span): number => to - from;
export const covers = (outer: Span, inner: Span): boolean => outer.from <= inner.from && outer.to >= inner.to;
export const overlap = (a: Span, b: Span): number => Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));

/** The same as near as it can be, within the whole. */
export function within(span: Span, whole: Span): Span {
  const length = Math.min(lengthOf(whole), Math.max(NEAREST, lengthOf(span)));
  const from = Math.max(whole.from, Math.min(whole.to - length, span.from));
  return { from, to: from + length };
}

/** `factor` below 1 comes nearer; what is at `at` stays where it is. */
export function zoomed(span: Span, whole: Span, at: number, factor: number): Span {
  const length = Math.min(lengthOf(whole), Math.max(NEAREST, lengthOf(span) * factor));
  const from = at - ((at - span.from) / lengthOf(span)) * length;
  return within({ from, to: from + length }, whole);
}

export const moved = (span: Span, whole: Span, by: number): Span =>
  within({ from: span.from + by, to: span.to + by }, whole);

/** A stretch with some room on both sides. */
export function around(start: number, duration: number, whole: Span, times = 3): Span {
  const length = Math.max(NEAREST, duration * times);
  const middle = start + duration / 2;
  return within({ from: middle - length / 2, to: middle + length / 2 }, whole);
}

function parsed(from: string | undefined, to: string | undefined): Span | null {
  const [a, b] = [Number(from), Number(to)];
  return from && to && Number.isFinite(a) && Number.isFinite(b) && b > a ? { from: a, to: b } : null;
}

const written = ({ from, to }: Span): string => `${Math.floor(from)}~${Math.ceil(to)}`;

/** `1000~2000`; null: everything. */
export const spanCodec: Codec<Span | null> = {
  parse(text) {
    const [from, to] = (text ?? '').split('~');
    return parsed(from, to);
  },
  format: (span) => (span ? written(span) : null),
};

/** `1000~2000`, or `1000~2000~0.3.4` of these tracks. */
export const rangeCodec: Codec<Range | null> = {
  parse(text) {
    const [from, to, tracks] = (text ?? '').split('~');
    const span = parsed(from, to);
    return (
      span && {
        ...span,
        tracks: tracks
          ? tracks
              .split('.')
              .map(Number)
              .filter((track) => Number.isSafeInteger(track) && track >= 0)
          : null,
      }
    );
  },
  format: (range) => (range ? `${written(range)}${range.tracks ? `~${range.tracks.join('.')}` : ''}` : null),
};
