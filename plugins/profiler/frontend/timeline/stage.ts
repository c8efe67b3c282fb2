/** The canvases of the timeline: what is painted when, what the pointer is at. */
import { effect, signal, untracked } from '@preact/signals';
import { fitBitmap, pixelsOf, watchPixels, type PixelSize } from '@insight-host/kit';
import { Latest } from '@insight-host/kit/lab';
import { inkOf } from '../figures/ink';
import { slicesOf, type Slices, type TracksAnswer } from './answers';
import { follow } from './gestures';
import { hitAt, type Hit, type View } from './hit';
import { Labels } from './labels';
import { barTop, LEVEL, rowAt, rowsBetween, type Layout } from './layout';
import { paint, type Picture } from './paint';
import { HEIGHT as MINIMAP, Minimap, paintMinimap, paintRuler } from './paint_heads';
import type { TimelineState } from './state';
import { Store } from './store';
import { Strips } from './strips';
import { lengthOf, type Span } from './span';

const MANY = 60; // lanes; so many are asked for at once
const MOST = 60_000; // slices of the minimap
const REST = 160; // ms without a move before everything is named

export interface Canvases {
  readonly rows: HTMLCanvasElement;
  readonly ruler: HTMLCanvasElement;
  readonly minimap: HTMLCanvasElement;
  readonly scroll: HTMLElement;
}

export class Stage {
  readonly store: Store;
  readonly pointed = signal<(Hit & { readonly x: number; readonly y: number }) | null>(null);
  /** px from the top of all rows, and how many are in sight. */
  readonly top = signal(0);
  readonly height = signal(400);
  /** Those of what was drawn so far, a bit for each. */
  readonly categories = signal(0);
  private readonly overview: Latest<Slices>;
  private readonly strips = new Strips();
  private readonly minimap = new Minimap();
  private readonly labels = new Labels();
  private readonly stops: (() => void)[] = [];
  private readonly pixels = new Map<HTMLCanvasElement, PixelSize>();
  private canvases: Canvases | null = null;
  private frame = 0;
  private rest: ReturnType<typeof setTimeout> | undefined;
  private isMoving = false;
  private paintedSpan: Span | null = null;
  private painted: { readonly tracks: TracksAnswer; readonly layout: Layout } | null = null;

  constructor(readonly state: TimelineState) {
    this.store = new Store(state.board, () => this.schedule());
    this.overview = new Latest<Slices>(state.board.queue, () => 2);
  }

  attach(canvases: Canvases): void {
    this.canvases = canvases;
    const { state } = this;
    const size = (): void => {
      const { scroll } = canvases;
      this.height.value = scroll.clientHeight;
      scroll.parentElement?.style.setProperty('--scrollbar', `${scroll.offsetWidth - scroll.clientWidth}px`);
      this.schedule();
    };
    const observer = new ResizeObserver(size);
    observer.observe(canvases.scroll);
    size();
    const { rows, ruler, minimap } = canvases;
    const measured = (canvas: HTMLCanvasElement, pixels: PixelSize): void => {
      this.pixels.set(canvas, pixels);
      if (canvas === rows && pixels.columns > 0) state.width.value = pixels.width;
      this.schedule();
    };
    for (const canvas of [rows, ruler, minimap]) {
      measured(canvas, pixelsOf(canvas));
      this.stops.push(watchPixels(canvas, (pixels) => measured(canvas, pixels)));
    }
    const scrolled = (): void => {
      this.top.value = canvases.scroll.scrollTop;
      this.pointed.value = null;
    };
    canvases.scroll.addEventListener('scroll', scrolled, { passive: true });
    this.stops.push(
      () => observer.disconnect(),
      () => canvases.scroll.removeEventListener('scroll', scrolled),
      follow(this, canvases),
      effect(() => {
        void [
          state.span.value,
          state.layout.value,
          state.slice.value,
          state.hasArrows.value,
          state.draft.value,
          state.board.range.value,
          state.stepSpan.value,
        ];
        void [
          state.search.matches.value,
          state.color.value,
          state.page.theme.value,
          state.page.locale.value,
          state.page.visible.value,
          this.top.value,
          this.pointed.value,
          state.width.value,
          this.height.value,
          this.overview.answer.value,
        ];
        this.schedule();
      }),
      effect(() => {
        const { value: target } = state.revealed;
        if (target) untracked(() => this.scrollTo(target.track, target.depth));
      }),
    );
  }

  get view(): View {
    const { state, store } = this;
    return { layout: state.layout.value, span: state.span.value, width: state.width.value, answers: store.slices };
  }

  /** Tracks of the rows in sight, from the top. */
  get inSight(): readonly number[] {
    const top = this.top.peek();
    return rowsBetween(this.state.layout.peek(), top, top + this.height.peek()).flatMap((row) => row.tracks);
  }

  hit(x: number, y: number): Hit | null {
    return hitAt(this.view, x, y + this.top.value);
  }

  timeAt(x: number): number {
    const { span, width } = this.state;
    return span.value.from + (x / width.value) * lengthOf(span.value);
  }

  scrollBy(by: number): void {
    const scroll = this.canvases?.scroll;
    if (scroll) scroll.scrollTop += by;
  }

  private scrollTo(track: number, depth: number): void {
    const row = this.state.layout.value.rowOf.get(track);
    const scroll = this.canvases?.scroll;
    if (!row || !scroll) return;
    const y = barTop(row, depth);
    const { scrollTop, clientHeight } = scroll;
    if (y < scrollTop + 4 || y + LEVEL > scrollTop + clientHeight - 4)
      requestAnimationFrame(() => (scroll.scrollTop = Math.max(0, y - clientHeight / 3)));
  }

  schedule(): void {
    if (this.frame === 0 && this.canvases) this.frame = requestAnimationFrame(() => this.paint());
  }

  private paint(): void {
    this.frame = 0;
    const { canvases, state, store } = this;
    if (!canvases || !state.page.visible.peek()) return;
    const tracks = state.tracks.peek();
    if (!tracks) return;
    const [span, whole, layout, width, height, top] = [
      state.span.peek(),
      state.whole.peek(),
      state.layout.peek(),
      state.width.peek(),
      this.height.peek(),
      this.top.peek(),
    ];
    this.settle(span);
    this.stay(tracks, layout);
    const ratio = this.pixels.get(canvases.rows)?.ratio ?? 1;
    const columns = Math.round(width);
    this.want(columns);
    store.wantCurves(
      tracks.version,
      span,
      whole,
      columns,
      layout.rows.some(({ counter }) => counter !== null),
    );
    this.categories.value = store.slices.reduce((bits, one) => bits | one.categories, this.categories.peek());
    const slice = state.slice.peek();
    const picture: Picture = {
      ...{ layout, span, top, width, height, ratio, answers: store.slices, curves: store.curves },
      ...{
        ink: inkOf(state.page.theme.peek()),
        locale: state.page.locale.peek(),
        byCategory: state.color.peek() === 'category',
        matches: state.search.matches.peek(),
      },
      ...{
        steps: tracks.steps,
        counted: state.stepSpan.peek(),
        range: state.draft.peek() ?? state.board.range.peek(),
        chosen: slice,
        pointed: this.pointed.peek(),
      },
      ...{ flows: state.hasArrows.peek() ? (slice?.flows ?? []) : [], isMoving: this.isMoving },
    };
    const context = this.contextOf(canvases.rows);
    if (context) canvases.rows.dataset['bars'] = String(paint(context, picture, this.strips, this.labels));
    const ruler = this.contextOf(canvases.ruler);
    if (ruler) paintRuler(ruler, picture, state.board.steps.peek());
    const minimap = this.contextOf(canvases.minimap);
    if (minimap)
      paintMinimap(minimap, picture, whole, this.overview.answer.peek()?.value ?? null, tracks, this.minimap);
  }

  /** In CSS pixels, of a bitmap as large as the canvas is on the screen. */
  private contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
    const pixels = this.pixels.get(canvas);
    if (!pixels || pixels.columns === 0) return null;
    fitBitmap(canvas, pixels);
    const context = canvas.getContext('2d', { alpha: false });
    context?.setTransform(pixels.ratio, 0, 0, pixels.ratio, 0, 0);
    return context;
  }

  /** When more was read, what stands at the top stays there. */
  private stay(tracks: TracksAnswer, layout: Layout): void {
    const { painted } = this;
    this.painted = { tracks, layout };
    const scroll = this.canvases?.scroll;
    if (!painted || painted.tracks === tracks || !scroll || scroll.scrollTop === 0) return;
    const before = painted.layout.rows[rowAt(painted.layout, scroll.scrollTop)];
    const now = layout.rows.find(({ key }) => key === before?.key);
    if (before && now) scroll.scrollTop += now.top - before.top;
  }

  /** While the picture moves only long bars are named. */
  private settle(span: Span): void {
    if (this.paintedSpan !== span && this.paintedSpan !== null) {
      this.isMoving = true;
      clearTimeout(this.rest);
      this.rest = setTimeout(() => {
        this.isMoving = false;
        this.schedule();
      }, REST);
    }
    this.paintedSpan = span;
  }

  /** Tracks in sight, and with them those around, or all if these are few. */
  private want(columns: number): void {
    const { state, store } = this;
    const tracks = state.tracks.peek();
    if (!tracks) return;
    const layout = state.layout.peek();
    const [top, height] = [this.top.peek(), this.height.peek()];
    const of = (from: number, to: number): readonly number[] =>
      rowsBetween(layout, from, to).flatMap((row) => row.tracks);
    const lanes = layout.rows.reduce((sum, row) => sum + row.levels * row.tracks.length, 0);
    const near = lanes <= MANY ? of(0, layout.height) : of(top - height / 2, top + 1.5 * height);
    store.wantSlices(tracks.version, state.span.peek(), state.whole.peek(), columns, this.inSight, near);
    const all = tracks.tracks.filter(({ slices }) => slices > 0).map(({ id }) => id);
    const width = Math.max(100, Math.min(columns, Math.round(MOST / Math.max(1, all.length))));
    const query = {
      ...state.board.profiles.query.peek(),
      from: 0,
      to: Math.max(1, state.whole.peek().to),
      width,
      levels: 1,
    };
    const before = this.overview.answer.peek()?.value;
    if (before?.version !== tracks.version || Math.abs(Math.log2(before.column / (query.to / width))) > 0.7) {
      this.overview.want(JSON.stringify([tracks.version, query]), async (signal) =>
        slicesOf(await state.page.ctx.data.columns('slices', query, { signal }), new Set(all), width),
      );
    }
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.rest);
    for (const stop of this.stops) stop();
    this.overview.rest();
    this.store.dispose();
  }
}

export { MINIMAP };
export const RULER = 42;
