import type { Cursor, LineChart, LineChartProps } from '../../api';
import { CanvasPainter } from '../painting/canvas_painter';
import { TITLE, type Size } from '../painting/area';
import { legendHeight } from '../painting/legend';
import { palette } from '../painting/palette';
import { SvgPainter } from '../painting/svg_painter';
import { draw } from './drawing';
import { figure, labels, plotArea, type Figure, type Window } from './figure';
import { listenToKeys } from './keys';
import { nearest } from './nearest';
import { drawOverlay, type Selection } from './overlay';
import { listenToPointer, type Change, type Gestures } from './pointer';

/** Puts a line chart into `host`, which gives it its size. */
export function mountLineChart(host: HTMLElement, props: LineChartProps): LineChart {
  return new Chart(host, props);
}

class Chart implements LineChart, Gestures {
  private readonly root = document.createElement('div');
  private readonly layers = [document.createElement('canvas'), document.createElement('canvas')] as const;
  private painters: readonly CanvasPainter[];
  private readonly observer: ResizeObserver;
  private readonly stops: readonly (() => void)[];
  private window: Window;
  private size: Size = { width: 0, height: 0, ratio: 1, labelled: false };
  private current: Figure | null = null;
  private stale = true; // the picture, not what lies above it
  private frame = 0;
  private selection: Selection | null = null;
  private pointer: readonly [number, number] | null = null;
  private cursor: Cursor | null = null;

  constructor(
    private readonly host: HTMLElement,
    private props: LineChartProps,
  ) {
    this.window = { x: props.xWindow ?? null, y: props.yWindow ?? null };
    this.root.tabIndex = 0;
    this.root.setAttribute('role', 'img');
    this.root.style.cssText = 'position:relative;width:100%;height:100%;outline-offset:-2px;touch-action:pan-y;user-select:none;-webkit-user-select:none';
    for (const canvas of this.layers) {
      canvas.style.cssText = 'position:absolute;left:0;top:0;width:100%;height:100%;pointer-events:none';
      canvas.setAttribute('aria-hidden', 'true');
      this.root.append(canvas);
    }
    host.append(this.root);
    this.painters = this.measure();
    this.describe();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
    this.stops = [listenToPointer(this.root, this), listenToKeys(this.root, this)];
    this.paint();
  }

  get plot(): LineChart['plot'] {
    return plotArea(this.props, this.size);
  }

  update(props: LineChartProps): void {
    const before = this.props;
    this.props = props;
    const moved = !same(before.xWindow, props.xWindow) || !same(before.yWindow, props.yWindow);
    if (moved) this.window = { x: props.xWindow ?? null, y: props.yWindow ?? null };
    this.describe();
    if (onlyCursorDiffers(before, props)) this.refresh('overlay');
    else this.refresh('picture');
  }

  figure(): Figure {
    return (this.current ??= figure(this.props, this.window, this.size));
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
    this.refresh('picture');
    this.props.onView?.(next, how);
  }

  select(selection: Selection | null): void {
    this.selection = selection;
    this.refresh('overlay');
  }

  point(at: readonly [number, number] | null): void {
    if (!at && !this.pointer) return;
    this.pointer = at;
    this.refresh('overlay');
  }

  click(at: readonly [number, number]): void {
    this.root.focus({ preventScroll: true });
    this.pointer = at;
    this.cursor = this.cursorAt(at);
    this.props.onClick?.(this.cursor);
  }

  cursorAt([px, py]: readonly [number, number]): Cursor {
    const { x, y } = this.figure();
    return { x: x.toValue(px), y: y.toValue(py), px, py, nearest: nearest(this.figure(), px, py) };
  }

  toSVG(): string {
    const { sheet, width, height } = this.sheet(1);
    const painter = new SvgPainter(width, height, this.props.title, this.props.description);
    const colors = palette(this.props.theme);
    painter.rectangle(0, 0, width, height, colors.surface);
    draw(sheet, painter, colors);
    return painter.toString();
  }

  toPNG(): Promise<Blob> {
    const { sheet, width, height } = this.sheet(2);
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width * 2, height * 2];
    const painter = new CanvasPainter(context(canvas), 2);
    const colors = palette(this.props.theme);
    painter.begin(width, height, colors.surface);
    draw(sheet, painter, colors);
    return new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(`The browser cannot encode a picture of ${canvas.width} x ${canvas.height} pixels.`))), 'image/png');
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    for (const stop of this.stops) stop();
    this.root.remove();
  }

  /** The picture as it goes into a file: same plot, with title, axis labels and legend around it. */
  private sheet(ratio: number): { sheet: Figure; width: number; height: number } {
    const width = Math.max(640, Math.round(this.size.width));
    const height = Math.max(300, Math.round(this.size.height)) + TITLE + 38 + legendHeight(labels(this.props), width);
    return { sheet: figure(this.props, this.window, { width, height, ratio, labelled: true }), width, height };
  }

  private describe(): void {
    this.root.setAttribute('aria-label', this.props.description);
    this.root.style.cursor = this.tool() === 'pan' ? 'grab' : 'crosshair';
  }

  private measure(): CanvasPainter[] {
    const ratio = globalThis.devicePixelRatio || 1;
    this.size = { width: this.host.clientWidth, height: this.host.clientHeight, ratio, labelled: false };
    return this.layers.map((canvas) => {
      [canvas.width, canvas.height] = [Math.round(this.size.width * ratio), Math.round(this.size.height * ratio)];
      return new CanvasPainter(context(canvas), ratio);
    });
  }

  private resize(): void {
    const ratio = globalThis.devicePixelRatio || 1;
    if (this.host.clientWidth === this.size.width && this.host.clientHeight === this.size.height && ratio === this.size.ratio) return;
    this.painters = this.measure();
    this.refresh('picture');
    this.paint(); // at once: resizing a canvas empties it
  }

  private refresh(what: 'picture' | 'overlay'): void {
    if (what === 'picture') {
      this.stale = true;
      this.current = null;
    }
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  private paint(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { width, height } = this.size;
    if (width < 20 || height < 20) return;
    const colors = palette(this.props.theme);
    const [picture, overlay] = this.painters as readonly [CanvasPainter, CanvasPainter];
    const sheet = this.figure();
    if (this.stale) {
      picture.begin(width, height);
      draw(sheet, picture, colors);
    }
    const cursor = this.pointer && !this.selection ? this.cursorAt(this.pointer) : null;
    overlay.begin(width, height);
    drawOverlay(sheet, { cursor, linkedX: this.props.cursorX ?? null, selection: this.selection }, overlay, colors);
    this.stale = false;
    if (cursor || this.cursor) {
      this.cursor = cursor;
      this.props.onCursor?.(cursor);
    }
  }

  private possible(range: readonly [number, number], log: boolean): readonly [number, number] | null {
    const [lo, hi] = range;
    if (!Number.isFinite(lo) || !Number.isFinite(hi) || (log && lo <= 0)) return null;
    const least = Math.max(Math.abs(lo), Math.abs(hi)) * 1e-12; // closer than this, numbers run out of digits
    return hi - lo > least ? range : null;
  }
}

function context(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const found = canvas.getContext('2d');
  if (!found) throw new Error('This browser gives no 2D canvas.');
  return found;
}

function same(a: readonly [number, number] | null | undefined, b: readonly [number, number] | null | undefined): boolean {
  return a === b || (a ?? null) === (b ?? null) || (!!a && !!b && a[0] === b[0] && a[1] === b[1]);
}

function onlyCursorDiffers(a: LineChartProps, b: LineChartProps): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof LineChartProps>;
  keys.delete('cursorX');
  keys.delete('onCursor');
  keys.delete('onView');
  keys.delete('onClick');
  return [...keys].every((key) => a[key] === b[key] || (key.endsWith('Window') && same(a.xWindow, b.xWindow) && same(a.yWindow, b.yWindow)));
}
