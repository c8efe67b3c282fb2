import type { HistogramChart, HistogramChartProps, HistogramCursor } from './props';
import { Screen, type Drawn, type Painter, type Palette, type Size } from '@insight-host/kit/draw';
import { cursorAfter, cursorAt } from './cursor';
import { draw } from './drawing';
import { figure, labels, type Figure } from './figure';
import { drawOverlay } from './overlay';

/** Renders a histogram chart into `host`, which determines its size. */
export function mountHistogramChart(host: HTMLElement, props: HistogramChartProps): HistogramChart {
  return new Chart(host, props);
}

class Chart implements HistogramChart, Drawn<Figure> {
  readonly leastHeight = 320;
  private readonly screen: Screen<Figure>;
  private readonly stop = new AbortController();
  private pointer: readonly [number, number] | null = null;
  private cursor: HistogramCursor | null = null;
  private told: HistogramCursor | null = null;

  constructor(
    host: HTMLElement,
    private props: HistogramChartProps,
  ) {
    this.screen = new Screen(host, this);
    this.screen.describe();
    this.listen();
  }

  update(props: HistogramChartProps): void {
    const same = isSamePicture(this.props, props);
    const moved = this.props.marked !== props.marked;
    this.props = props;
    this.screen.describe();
    if (!same) this.screen.refresh('picture');
    else if (moved) this.screen.refresh('overlay');
  }

  toSVG(): string {
    return this.screen.toSVG();
  }

  toPNG(): Promise<Blob> {
    return this.screen.toPNG();
  }

  dispose(): void {
    this.stop.abort();
    this.screen.dispose();
  }

  caption(): HistogramChartProps {
    return this.props;
  }

  legend(): readonly string[] {
    return labels(this.props);
  }

  layOut(size: Size): Figure {
    return figure(this.props, size);
  }

  readonly draw = draw;

  leave(): void {
    this.point(null);
  }

  follow(shown: Figure, redrawn: boolean): boolean {
    const { rows, edges } = this.props;
    if (redrawn) {
      // What was under the pointer may be another row now, or none.
      if (this.pointer) this.cursor = cursorAt(shown, ...this.pointer);
      else if (this.cursor && !(rows[this.cursor.row] && this.cursor.bin < edges.length - 1)) this.cursor = null;
    }
    if (this.cursor || this.told) {
      this.told = this.cursor;
      this.props.onCursor?.(this.cursor);
    }
    return this.cursor !== null || this.props.marked != null;
  }

  drawOverlay(shown: Figure, painter: Painter, colors: Palette): void {
    drawOverlay(shown, this.cursor, this.props.marked ?? null, painter, colors);
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
        const cursor = cursorAt(this.screen.figure, ...at(event));
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
          const cursor = cursorAfter(this.screen.figure, event.key, this.cursor);
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
    this.cursor = at && cursorAt(this.screen.figure, ...at);
    this.screen.refresh('overlay');
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
