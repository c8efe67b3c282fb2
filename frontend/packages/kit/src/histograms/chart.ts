import { visibleText } from '@insight-host/kit';
import type { HistogramChart, HistogramChartProps, HistogramCursor } from './props';
import type { CanvasPainter } from '@insight-host/kit/draw';
import { pngOf, sheetSize, svgOf, type Sheet, palette, Screen, type Drawn } from '@insight-host/kit/draw';
import { cursorAfter, cursorAt } from './cursor';
import { draw } from './drawing';
import { figure, labels, plotArea, type Figure } from './figure';
import { drawOverlay } from './overlay';

/** Renders a histogram chart into `host`, which determines its size. */
export function mountHistogramChart(host: HTMLElement, props: HistogramChartProps): HistogramChart {
  return new Chart(host, props);
}

const LEAST_HEIGHT = 320; // pixels of the plot in a file

class Chart implements HistogramChart, Drawn {
  private readonly screen: Screen;
  private readonly stop = new AbortController();
  private current: Figure | null = null;
  private pointer: readonly [number, number] | null = null;
  private cursor: HistogramCursor | null = null;
  private told: HistogramCursor | null = null;

  constructor(
    host: HTMLElement,
    private props: HistogramChartProps,
  ) {
    this.screen = new Screen(host, this);
    this.describe();
    this.listen();
    this.screen.paint();
  }

  get plot(): HistogramChart['plot'] {
    return plotArea(this.props, this.screen.size);
  }

  update(props: HistogramChartProps): void {
    const same = isSamePicture(this.props, props);
    const moved = this.props.marked !== props.marked;
    this.props = props;
    this.describe();
    if (!same) this.screen.refresh('picture');
    else if (moved) {
      if (this.current) this.current = { ...this.current, props };
      this.screen.refresh('overlay');
    }
  }

  toSVG(): string {
    return svgOf(this.sheet(1), this.props);
  }

  toPNG(): Promise<Blob> {
    return pngOf(this.sheet(2), this.props);
  }

  dispose(): void {
    this.stop.abort();
    this.screen.dispose();
  }

  forget(): void {
    this.current = null;
  }

  leave(): void {
    this.point(null);
  }

  paint(picture: CanvasPainter | null, overlay: CanvasPainter): void {
    const colors = palette(this.props.theme);
    const sheet = this.figure();
    if (picture) {
      draw(sheet, picture, colors);
      // What was under the pointer may be another row now, or none.
      if (this.pointer) this.cursor = cursorAt(sheet, ...this.pointer);
      else if (this.cursor && !(sheet.props.rows[this.cursor.row] && this.cursor.bin < sheet.props.edges.length - 1))
        this.cursor = null;
    }
    drawOverlay(sheet, this.cursor, overlay, colors);
    if (this.cursor || this.told) {
      this.told = this.cursor;
      this.props.onCursor?.(this.cursor);
    }
  }

  private describe(): void {
    this.screen.root.setAttribute('aria-label', visibleText(this.props.description, true));
  }

  private listen(): void {
    const { root } = this.screen;
    const { signal } = this.stop;
    const at = (event: MouseEvent): readonly [number, number] => {
      const box = root.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    root.addEventListener('pointermove', (event) => this.point(at(event)), { signal });
    root.addEventListener('pointerleave', () => this.point(null), { signal });
    root.addEventListener('blur', () => this.point(null), { signal });
    root.addEventListener(
      'click',
      (event) => {
        const cursor = cursorAt(this.figure(), ...at(event));
        if (cursor) this.props.onClick?.(cursor);
      },
      { signal },
    );
    root.addEventListener(
      'keydown',
      (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === 'Enter' && this.cursor) this.props.onClick?.(this.cursor);
        else {
          const cursor = cursorAfter(this.figure(), event.key, this.cursor);
          if (!cursor) return;
          this.pointer = null;
          this.cursor = cursor;
          this.screen.refresh('overlay');
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
    this.screen.refresh('overlay');
  }

  private figure(): Figure {
    return (this.current ??= figure(this.props, this.screen.size));
  }

  private sheet(ratio: number): Sheet {
    const size = sheetSize(this.screen.size, LEAST_HEIGHT, labels(this.props), ratio);
    const made = figure(this.props, size);
    return { size, draw: (painter, colors) => draw(made, painter, colors) };
  }
}

/** Whether only the overlay and the callbacks differ. */
function isSamePicture(a: HistogramChartProps, b: HistogramChartProps): boolean {
  const keys = Object.keys({ ...a, ...b }) as (keyof HistogramChartProps)[];
  return keys.every((key) => {
    if (key === 'marked' || key.startsWith('on')) return true;
    if (key === 'extent') return a.extent?.[0] === b.extent?.[0] && a.extent?.[1] === b.extent?.[1];
    return a[key] === b[key];
  });
}
