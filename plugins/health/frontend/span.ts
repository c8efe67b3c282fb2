/** Stretches of an axis: what is in sight of it, moved and zoomed within the whole. */

export interface Span {
  readonly from: number;
  readonly to: number;
}

export const lengthOf = ({ from, to }: Span): number => to - from;

/** The nearest stretch of the same length, or the whole if it is longer. */
export function within({ from, to }: Span, whole: number): Span {
  const length = Math.min(to - from, whole);
  const start = Math.max(0, Math.min(whole - length, from));
  return { from: start, to: start + length };
}

export const moved = (span: Span, by: number, whole: number): Span =>
  within({ from: span.from + by, to: span.to + by }, whole);

/** Below 1, `factor` zooms in; `at` stays where it is. */
export function zoomed(span: Span, factor: number, at: number, whole: number, least: number): Span {
  const length = Math.max(Math.min(least, whole), Math.min(whole, lengthOf(span) * factor));
  const share = lengthOf(span) > 0 ? (at - span.from) / lengthOf(span) : 0.5;
  return within({ from: at - share * length, to: at + (1 - share) * length }, whole);
}

/** Moved as little as brings `at` and its cell into sight. */
export function showing(span: Span, at: number, whole: number): Span {
  if (at < span.from) return moved(span, at - span.from, whole);
  if (at + 1 > span.to) return moved(span, at + 1 - span.to, whole);
  return span;
}

/** In a link: `12~340`. null is the whole. */
export const spanCodec = {
  parse(text: string | null): Span | null {
    const match = /^(\d+(?:\.\d+)?)~(\d+(?:\.\d+)?)$/.exec(text ?? '');
    const [from, to] = [Number(match?.[1]), Number(match?.[2])];
    return match && from < to ? { from, to } : null;
  },
  format: (span: Span | null): string | null => span && `${Number(span.from.toFixed(2))}~${Number(span.to.toFixed(2))}`,
};
