/** What was asked of a stretch, kept while it may be drawn again. */
import { effect } from '@preact/signals';
import { Latest } from '@insight-host/kit/lab';
import type { ProfilerParts } from '../board';
import { curvesOf, slicesOf, type Curves, type Slices } from './answers';
import { covers, lengthOf, overlap, within, type Span } from './span';

const KEPT = 6;
const MARGIN = 0.3; // of the picture, on both sides
const BLURRED = 1.3; // times as wide a column as there should be
const FINE = 8; // times as many columns as the screen has

/**
 * The answers for a picture: of those that hold all of it the one made for its scale; else the one that holds the most,
 * and another above.
 */
export function layersOf(answers: readonly Slices[], track: number, span: Span, column: number): readonly Slices[] {
  const cost = (one: Slices): number =>
    one.column > column ? 2 * Math.log2(one.column / column) : Math.log2(column / one.column);
  const known = answers
    .filter((one) => one.tracks.has(track) && overlap(one, span) > 0)
    .sort((a, b) => cost(a) - cost(b));
  const best = known[0];
  if (!best || covers(best, span)) return best ? [best] : [];
  const widest = known.reduce((most, one) => (overlap(one, span) > overlap(most, span) ? one : most), best);
  return widest === best ? [best] : [widest, best];
}

const suits = (one: { readonly column: number } & Span, span: Span, column: number): boolean =>
  covers(one, span) && one.column <= column * BLURRED && one.column * FINE >= column;

/**
 * Asks for the slices and counters of what is in sight with some room around it, the latest wish only; what came stays
 * until better comes.
 */
export class Store {
  slices: readonly Slices[] = [];
  curves: readonly Curves[] = [];
  private readonly latestSlices: Latest<Slices>;
  private readonly latestCurves: Latest<Curves>;
  private readonly stops: readonly (() => void)[];

  constructor(
    private readonly board: ProfilerParts,
    onArrival: () => void,
  ) {
    this.latestSlices = new Latest<Slices>(board.queue);
    this.latestCurves = new Latest<Curves>(board.queue, () => 1);
    this.stops = [
      effect(() => {
        const value = this.latestSlices.answer.value?.value;
        if (value) this.slices = kept(value, this.slices);
        onArrival();
      }),
      effect(() => {
        const value = this.latestCurves.answer.value?.value;
        if (value) this.curves = kept(value, this.curves);
        onArrival();
      }),
    ];
  }

  get busy(): boolean {
    return this.latestSlices.busy.value || this.latestCurves.busy.value;
  }
  get error(): string | null {
    return this.latestSlices.error.value?.reason ?? this.latestCurves.error.value?.reason ?? null;
  }
  retry(): void {
    this.latestSlices.retry();
    this.latestCurves.retry();
  }

  /** `shown` are in sight; `near` are asked for with them. */
  wantSlices(
    version: number,
    span: Span,
    whole: Span,
    columns: number,
    shown: readonly number[],
    near: readonly number[],
  ): void {
    if (shown.length === 0) return;
    const column = lengthOf(span) / columns;
    if (
      this.slices.some(
        (one) => one.version === version && suits(one, span, column) && shown.every((track) => one.tracks.has(track)),
      )
    )
      return;
    const { query, width } = this.question(span, whole, columns);
    const tracks = [...near].sort((a, b) => a - b).join();
    this.latestSlices.want(JSON.stringify([version, query, tracks]), async (signal) =>
      slicesOf(
        await this.board.page.ctx.data.columns('slices', { ...query, tracks }, { signal }),
        new Set(near),
        width,
      ),
    );
  }

  wantCurves(version: number, span: Span, whole: Span, columns: number, isShown: boolean): void {
    if (!isShown || this.curves.some((one) => one.version === version && suits(one, span, lengthOf(span) / columns)))
      return;
    const { query, width } = this.question(span, whole, columns);
    this.latestCurves.want(JSON.stringify([version, query]), async (signal) =>
      curvesOf(await this.board.page.ctx.data.columns('counters', query, { signal }), width),
    );
  }

  private question(
    span: Span,
    whole: Span,
    columns: number,
  ): { readonly query: Readonly<Record<string, string | number>>; readonly width: number } {
    const room = lengthOf(span) * MARGIN;
    const wider = within({ from: Math.floor(span.from - room), to: Math.ceil(span.to + room) }, whole);
    const all = { from: Math.floor(wider.from), to: Math.max(Math.ceil(wider.to), Math.floor(wider.from) + 1) };
    const width = Math.max(1, Math.min(10_000, Math.round((columns * lengthOf(all)) / lengthOf(span))));
    return { query: { ...this.board.profiles.query.peek(), from: all.from, to: all.to, width }, width };
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.latestSlices.rest();
    this.latestCurves.rest();
  }
}

/** The newest first. What was read earlier of the same profile goes when more of it has come. */
function kept<T extends Span & { readonly version: number }>(value: T, before: readonly T[]): readonly T[] {
  const others = before.filter((one) => one !== value && one.version === value.version);
  const widest = others.reduce<T | null>((most, one) => (most && lengthOf(most) >= lengthOf(one) ? most : one), null);
  const last = others.slice(0, KEPT - 1);
  return [value, ...(widest && !last.includes(widest) ? [...last.slice(0, -1), widest] : last)];
}
