import type { HistogramChart, HistogramChartProps, HistogramCursor } from '../../api';
import { TITLE, type Size } from '../painting/area';
import { CanvasPainter } from '../painting/canvas_painter';
import { legendHeight } from '../painting/legend';
import { palette } from '../painting/palette';
import { SvgPainter } from '../painting/svg_painter';
import { cursorAfter, cursorAt } from './cursor';
import { draw } from './drawing';
import { figure, labels, plotArea, type Figure } from './figure';
import { drawOverlay } from './overlay';

/** Puts a histogram chart into `host`, which gives it its size. */
export function mountHistogramChart(host: HTMLElement, props: HistogramChartProps): HistogramChart {
  return new Chart(host, props);
}

class Chart implements HistogramChart {
  private readonly root = document.createElement('div');
  private readonly layers = [document.createElement('canvas'), document.createElement('canvas')] as const;
  private painters: readonly CanvasPainter[];
  private readonly observer: ResizeObserver;
  private readonly stop = new AbortController();
  private size: Size = { width: 0, height: 0, ratio: 1, labelled: false };
  private current: Figure | null = null;
  private stale = true; // the picture, not what lies above it
  private frame = 0;
  private pointer: readonly [number, number] | null = null;
  private cursor: HistogramCursor | null = null;
  private told: HistogramCursor | null = null;

  constructor(
    private readonly host: HTMLElement,
    private props: HistogramChartProps,
  ) {
    this.root.tabIndex = 0;
    this.root.setAttribute('role', 'img');
    this.root.style.cssText = 'position:relative;width:100%;height:100%;outline-offset:-2px;touch-action:pan-y;user-select:none;-webkit-user-select:none;cursor:crosshair';
    for (const canvas of this.layers) {
      canvas.style.cssText = 'position:absolute;left:0;top:0;width:100%;height:100%;pointer-events:none';
      canvas.setAttribute('aria-hidden', 'true');
      this.root.append(canvas);
    }
    host.append(this.root);
    this.painters = this.measure();
    this.root.setAttribute('aria-label', props.description);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
    this.listen();
    this.paint();
  }

  get plot(): HistogramChart['plot'] {
    return plotArea(this.props, this.size);
  }

  update(props: HistogramChartProps): void {
    const same = isSamePicture(this.props, props);
    const moved = this.props.marked !== props.marked;
    this.props = props;
    this.root.setAttribute('aria-label', props.description);
    if (!same) this.refresh('picture');
    else if (moved) {
      if (this.current) this.current = { ...this.current, props };
      this.refresh('overlay');
    }
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
    this.stop.abort();
    this.root.remove();
  }

  private listen(): void {
    const { signal } = this.stop;
    const at = (event: MouseEvent): readonly [number, number] => {
      const box = this.root.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.root.addEventListener('pointermove', (event) => this.point(at(event)), { signal });
    this.root.addEventListener('pointerleave', () => this.point(null), { signal });
    this.root.addEventListener('blur', () => this.point(null), { signal });
    this.root.addEventListener(
      'click',
      (event) => {
        const cursor = cursorAt(this.figure(), ...at(event));
        if (cursor) this.props.onClick?.(cursor);
      },
      { signal },
    );
    this.root.addEventListener(
      'keydown',
      (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === 'Enter' && this.cursor) this.props.onClick?.(this.cursor);
        else {
          const cursor = cursorAfter(this.figure(), event.key, this.cursor);
          if (!cursor) return;
          this.pointer = null;
          this.cursor = cursor;
          this.refresh('overlay');
        }
        event.preventDefault();
        event.stopPropagation();
      },
      { signal },
    );
  }

  private point(at: readonly [number, number] | null): void {
    if (!at && !this.pointer && !this.cursor) return;
    this.pointer = at;
    this.cursor = at && cursorAt(this.figure(), ...at);
    this.refresh('overlay');
  }

  private figure(): Figure {
    return (this.current ??= figure(this.props, this.size));
  }

  /** The picture as it goes into a file: with title, axis labels and legend around it. */
  private sheet(ratio: number): { sheet: Figure; width: number; height: number } {
    const width = Math.max(640, Math.round(this.size.width));
    const height = Math.max(320, Math.round(this.size.height)) + TITLE + 38 + legendHeight(labels(this.props), width);
    return { sheet: figure(this.props, { width, height, ratio, labelled: true }), width, height };
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
      // What was under the pointer may be another row now, or none.
      if (this.pointer) this.cursor = cursorAt(sheet, ...this.pointer);
      else if (this.cursor && !(sheet.props.rows[this.cursor.row] && this.cursor.bin < sheet.props.edges.length - 1)) this.cursor = null;
    }
    overlay.begin(width, height);
    drawOverlay(sheet, this.cursor, overlay, colors);
    this.stale = false;
    if (this.cursor || this.told) {
      this.told = this.cursor;
      this.props.onCursor?.(this.cursor);
    }
  }
}

/** Whether only what lies above the picture, and who is told, may differ. */
function isSamePicture(a: HistogramChartProps, b: HistogramChartProps): boolean {
  const keys = Object.keys({ ...a, ...b }) as (keyof HistogramChartProps)[];
  return keys.every((key) => {
    if (key === 'marked' || key.startsWith('on')) return true;
    if (key === 'extent') return a.extent?.[0] === b.extent?.[0] && a.extent?.[1] === b.extent?.[1];
    return a[key] === b[key];
  });
}

function context(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const found = canvas.getContext('2d');
  if (!found) throw new Error('This browser gives no 2D canvas.');
  return found;
}
