/** A line chart on the screen: takes new lines, and answers pointer and keys. */
import type { Cursor, LineChart, LineChartProps } from './props';
import { Screen, type Drawn, type Painter, type Palette, type Size } from '@insight-host/kit/draw';
import { draw } from './drawing';
import { figure, labels } from './figure';
import type { Figure, Window } from './layout';
import { listenToKeys, listenToPointer, type Change, type Gestures } from './pointer';
import { nearest, drawOverlay, reach, type Selection } from './overlay';

/** Renders a line chart into `host`, which determines its size. */
export function mountLineChart(host: HTMLElement, props: LineChartProps): LineChart {
  return new Chart(host, props);
}

/** Draws a chart as the figure of a paper: `size.sheet` says how. */
export function drawSheet(props: LineChartProps, size: Size, painter: Painter, colors: Palette): void {
  draw(figureOf(props, size), painter, colors);
}

/** How many lines the legend of this figure has no room for. */
export function unnamedLines(props: LineChartProps, size: Size): number {
  const { legend } = figureOf(props, size);
  return props.scale || legend.length === 0 ? 0 : labels(props).length - legend.length;
}

const figureOf = (props: LineChartProps, size: Size): Figure =>
  figure(props, { x: props.xWindow ?? null, y: props.yWindow ?? null }, size);

class Chart implements LineChart, Gestures, Drawn<Figure> {
  readonly leastHeight = 300;
  private readonly screen: Screen<Figure>;
  private readonly stops: readonly (() => void)[];
  private window: Window;
  private selection: Selection | null = null;
  private pointer: readonly [number, number] | null = null;
  private cursor: Cursor | null = null;
  private hovered: ReadonlySet<string> = new Set();
  private clipped = ''; // as it was reported

  constructor(
    host: HTMLElement,
    private props: LineChartProps,
  ) {
    this.window = { x: props.xWindow ?? null, y: props.yWindow ?? null };
    this.screen = new Screen(host, this);
    this.describe();
    this.stops = [listenToPointer(this.screen.root, this), listenToKeys(this.screen.root, this)];
  }

  get plot(): LineChart['plot'] {
    return this.figure().plot;
  }

  update(props: LineChartProps): void {
    const before = this.props;
    this.props = props;
    const moved = !same(before.xWindow, props.xWindow) || !same(before.yWindow, props.yWindow);
    if (moved) this.window = { x: props.xWindow ?? null, y: props.yWindow ?? null };
    this.describe();
    if (onlyCursorDiffers(before, props)) this.screen.refresh('overlay');
    else this.screen.refresh('picture');
  }

  hover(runs: readonly string[]): void {
    if (runs.length === 0 && this.hovered.size === 0) return;
    this.hovered = new Set(runs);
    this.screen.refresh('overlay');
  }

  figure(): Figure {
    return this.screen.figure;
  }

  tool(): 'box' | 'pan' {
    return this.props.tool ?? 'box';
  }

  look(change: Change, how: 'zoom' | 'pan' | 'reset'): void {
    const next = {
      x: change.x === undefined ? this.window.x : change.x && this.possible(change.x, this.figure().x.log),
      y: change.y === undefined ? this.window.y : change.y && this.possible(change.y, this.figure().y.log),
    };
    if (same(next.x, this.window.x) && same(next.y, this.window.y)) return;
    this.window = next;
    // Reported windows come back through update; remember them so that they are not taken for a new wish.
    this.props = { ...this.props, xWindow: next.x, yWindow: next.y };
    this.screen.refresh('picture');
    this.props.onView?.(next, how);
  }

  select(selection: Selection | null): void {
    this.selection = selection;
    this.screen.refresh('overlay');
  }

  point(at: readonly [number, number] | null): void {
    if (!at && !this.pointer) return;
    this.pointer = at;
    this.screen.refresh('overlay');
  }

  click(at: readonly [number, number]): void {
    this.screen.root.focus({ preventScroll: true });
    this.pointer = at;
    this.cursor = this.cursorAt(at);
    this.props.onClick?.(this.cursor);
  }

  cursorAt([px, py]: readonly [number, number]): Cursor {
    const shown = this.figure();
    const { x, y } = shown;
    return { x: x.toValue(px), y: y.toValue(py), px, py, reach: reach(shown, px), nearest: nearest(shown, px, py) };
  }

  toSVG(): string {
    return this.screen.toSVG();
  }

  toPNG(): Promise<Blob> {
    return this.screen.toPNG();
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.screen.dispose();
  }

  get shown(): LineChartProps {
    return this.props;
  }

  caption(): LineChartProps {
    return this.props;
  }

  legend(): readonly string[] {
    return labels(this.props);
  }

  layOut(size: Size): Figure {
    const made = figure(this.props, this.window, size);
    if (!this.props.pending && made.clipped.join() !== this.clipped) {
      this.clipped = made.clipped.join();
      this.props.onClipped?.(made.clipped);
    }
    return made;
  }

  readonly draw = draw;

  isPending(): boolean {
    return this.props.pending === true;
  }

  leave(): void {
    this.point(null);
  }

  follow(): boolean {
    const cursor = this.pointer && !this.selection ? this.cursorAt(this.pointer) : null;
    if (!sameCursor(cursor, this.cursor)) {
      this.cursor = cursor;
      this.props.onCursor?.(cursor);
    }
    return cursor !== null || this.selection !== null || this.props.cursorX != null || this.hovered.size > 0;
  }

  drawOverlay(shown: Figure, painter: Painter, colors: Palette): void {
    const { cursor, selection, hovered } = this;
    drawOverlay(shown, { cursor, linkedX: this.props.cursorX ?? null, selection, hovered }, painter, colors);
  }

  private describe(): void {
    this.screen.describe();
    this.screen.root.style.cursor = this.tool() === 'pan' ? 'grab' : 'crosshair';
  }

  private possible(range: readonly [number, number], log: boolean): readonly [number, number] | null {
    const [lo, hi] = range;
    if (!Number.isFinite(lo) || !Number.isFinite(hi) || (log && lo <= 0)) return null;
    const least = Math.max(Math.abs(lo), Math.abs(hi)) * 1e-12; // closer than this, numbers run out of digits
    return hi - lo > least ? range : null;
  }
}

function same(
  a: readonly [number, number] | null | undefined,
  b: readonly [number, number] | null | undefined,
): boolean {
  return a === b || (a ?? null) === (b ?? null) || (!!a && !!b && a[0] === b[0] && a[1] === b[1]);
}

function sameCursor(a: Cursor | null, b: Cursor | null): boolean {
  if (!a || !b) return a === b;
  return (
    a.px === b.px &&
    a.py === b.py &&
    a.x === b.x &&
    a.y === b.y &&
    a.nearest.length === b.nearest.length &&
    a.nearest.every((point, i) => {
      const other = b.nearest[i];
      return point.id === other?.id && point.index === other.index && point.x === other.x && point.y === other.y;
    })
  );
}

function onlyCursorDiffers(a: LineChartProps, b: LineChartProps): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof LineChartProps>;
  keys.delete('cursorX');
  keys.delete('onCursor');
  keys.delete('onView');
  keys.delete('onClick');
  keys.delete('onClipped');
  return [...keys].every(
    (key) => a[key] === b[key] || (key.endsWith('Window') && same(a.xWindow, b.xWindow) && same(a.yWindow, b.yWindow)),
  );
}
