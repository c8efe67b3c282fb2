import type { HistogramChart, HistogramChartProps, HistogramCursor } from './props';
import { Screen, type Drawn, type Painter, type Palette, type Size } from '@insight-host/kit/draw';
import { draw, rowColors, stroke, lineOf } from './drawing';
import { figure, labels, type Figure, baseOf, cellsOf, binOf } from './figure';
import { arrowOf } from '@insight-host/kit';
import { columnsOf } from './shapes';

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

/** The overlay that moves with the pointer: the highlighted row and bin. */
export function drawOverlay(
  figure: Figure,
  cursor: HistogramCursor | null,
  marked: string | null,
  painter: Painter,
  colors: Palette,
): void {
  const row = cursor?.row ?? figure.props.rows.findIndex(({ id }) => id === marked);
  if (!figure.props.rows[row]) return;
  const { plot } = figure;
  painter.clipped(plot.left - 5, plot.top - 5, plot.width + 10, plot.height + 10, () => {
    if (figure.props.view === 'front' || figure.props.view === 'top') line(figure, row, cursor, painter, colors);
    else column(figure, row, cursor, painter, colors);
  });
}

function line(figure: Figure, row: number, cursor: HistogramCursor | null, painter: Painter, colors: Palette): void {
  const points = highlightOf(figure, row);
  if (!points) return;
  const color = rowColors(figure, colors)[row] as string;
  if (figure.props.view === 'top') painter.polygon(points, color, 0.95);
  stroke(painter, points, { color: colors.surface, width: 4, alpha: 0.8 });
  stroke(painter, points, { color: colors.text, width: 1.75 });
  if (!cursor) return;
  const { edges, view } = figure.props;
  const [from, to] = [edges[cursor.bin] as number, edges[cursor.bin + 1] as number].map(figure.values.toPixel) as [
    number,
    number,
  ];
  const [shift, base] =
    view === 'top' ? baseOf(figure, figure.props.rows[row]?.at ?? 0) : [0, figure.plot.top + figure.plot.height];
  const [x, y] = placeOf(figure, cursor.row, cursor.bin);
  painter.polygon([from + shift, base, from + shift, y, to + shift, y, to + shift, base], colors.accent, 0.22);
  dot(x, y, painter, colors);
}

function column(figure: Figure, row: number, cursor: HistogramCursor | null, painter: Painter, colors: Palette): void {
  const { plot, props, rows, values } = figure;
  const at = props.rows[row]?.at ?? NaN;
  const x = rows.toPixel(at);
  painter.segment(x, plot.top, x, plot.top + plot.height, { color: colors.faint, width: painter.hairline });
  if (!cursor) return;
  if (props.view === 'distributions') {
    for (const value of Array.from(props.rows[row]?.percentiles ?? []))
      if (Number.isFinite(value)) dot(x, values.toPixel(value), painter, colors, 2);
    return;
  }
  const cell = cellsOf(props).find((other) => other.row === row);
  const [left, right] = cell ? [rows.toPixel(cell.from), rows.toPixel(cell.to)] : [x, x];
  const [low, high] = [
    values.toPixel(props.edges[cursor.bin] as number),
    values.toPixel(props.edges[cursor.bin + 1] as number),
  ];
  const [from, to] = [Math.min(left, x - 3), Math.max(right, x + 3)];
  stroke(painter, Float64Array.of(from, low, from, high, to, high, to, low, from, low), {
    color: colors.surface,
    width: 3.5,
  });
  stroke(painter, Float64Array.of(from, low, from, high, to, high, to, low, from, low), {
    color: colors.text,
    width: 1.5,
  });
}

function dot(x: number, y: number, painter: Painter, colors: Palette, radius = 3): void {
  painter.circle(x, y, radius + 1.25, colors.surface);
  painter.circle(x, y, radius, colors.accent);
}

/** The bin of a row nearest to a screen position; null if none. */
export function cursorAt(figure: Figure, px: number, py: number): HistogramCursor | null {
  const { props, plot } = figure;
  if (props.rows.length === 0) return null;
  if (px < plot.left - 2 || px > plot.left + plot.width + 2 || py < plot.top - 2 || py > plot.top + plot.height + 2)
    return null;
  const found =
    props.view === 'front'
      ? inFront(figure, px, py)
      : props.view === 'top'
        ? fromAbove(figure, px, py)
        : overRows(figure, px, py);
  return found && { row: found[0], bin: found[1], px, py };
}

type Found = readonly [row: number, bin: number] | null;

function inFront(figure: Figure, px: number, py: number): Found {
  const bin = binOf(figure, figure.values.toValue(px));
  if (bin < 0) return null;
  let best: Found = null;
  let least = Infinity;
  figure.props.rows.forEach((row, i) => {
    const away = Math.abs(figure.counts.toPixel(row.counts[bin] as number) - py);
    if (away <= least) [least, best] = [away, [i, bin]]; // of equal ones the last, which lies above
  });
  return best;
}

/** The ridge that is seen at this place; on bare ground, the one whose line is nearest. */
function fromAbove(figure: Figure, px: number, py: number): Found {
  const { props, values, counts } = figure;
  let seen: Found = null;
  let seenAt = -Infinity;
  let nearest: Found = null;
  let least = Infinity;
  props.rows.forEach((row, i) => {
    const [shift, base] = baseOf(figure, row.at);
    const bin = binOf(figure, values.toValue(px - shift));
    if (bin < 0) return;
    const line = base - counts.toPixel(row.counts[bin] as number);
    if (py >= line - 1 && py <= base + 1 && row.at >= seenAt) [seenAt, seen] = [row.at, [i, bin]];
    const away = Math.min(Math.abs(line - py), Math.abs(base - py));
    if (away <= least) [least, nearest] = [away, [i, bin]];
  });
  return seen ?? nearest;
}

function overRows(figure: Figure, px: number, py: number): Found {
  const { props, rows, values } = figure;
  const { edges } = props;
  const value = Math.max(edges[0] as number, Math.min(edges[edges.length - 1] as number, values.toValue(py)));
  const bin = binOf(figure, value);
  if (props.view === 'heatmap') {
    const column = columnsOf(figure).find(({ from, to }) => px >= from - 0.5 && px <= to + 0.5);
    return column && column.row >= 0 ? [column.row, bin] : null;
  }
  let best: Found = null;
  let least = Infinity;
  props.rows.forEach((row, i) => {
    const away = Math.abs(rows.toPixel(row.at) - px);
    if (away <= least) [least, best] = [away, [i, bin]];
  });
  return best;
}

/** Where the mark of a bin is drawn: on the line of its row, or in the middle of its cell. */
export function placeOf(figure: Figure, row: number, bin: number): readonly [x: number, y: number] {
  const { props, values, counts, rows } = figure;
  const { edges } = props;
  const found = props.rows[row];
  const middle = (values.toPixel(edges[bin] as number) + values.toPixel(edges[bin + 1] as number)) / 2;
  if (!found) return [NaN, NaN];
  const height = counts.toPixel(found.counts[bin] as number);
  if (props.view === 'front') return [middle, height];
  if (props.view !== 'top') return [rows.toPixel(found.at), middle];
  const [shift, base] = baseOf(figure, found.at);
  return [middle + shift, base - height];
}

/**
 * What an arrow key, Home or End does to a cursor: bins along the axis of values, rows along the other. null for other
 * keys.
 */
export function cursorAfter(figure: Figure, key: string, from: HistogramCursor | null): HistogramCursor | null {
  const { props } = figure;
  const [lastRow, lastBin] = [props.rows.length - 1, props.edges.length - 2];
  const way = arrowOf(key);
  if (lastRow < 0 || (!way && key !== 'Home' && key !== 'End')) return null;
  const across = props.view === 'front' || props.view === 'top';
  const limited = (value: number, most: number): number => Math.max(0, Math.min(most, value));
  let [row, bin] = [from?.row ?? lastRow, from?.bin ?? fullest(figure, lastRow)];
  if (key === 'Home' || key === 'End') row = key === 'Home' ? 0 : lastRow;
  else if (way && from) {
    // Upwards is back in time where earlier rows lie behind, and to larger values where these go up.
    bin = limited(bin + (across ? way[0] : way[1]), lastBin);
    row = limited(row + (across ? -way[1] : way[0]), lastRow);
  }
  const [px, py] = placeOf(figure, row, bin);
  return { row, bin, px, py };
}

function fullest({ props }: Figure, row: number): number {
  const counts = props.rows[row]?.counts ?? [];
  let best = 0;
  for (let i = 1; i < counts.length; i++) if ((counts[i] as number) > (counts[best] as number)) best = i;
  return best;
}

/** The line of a row for the overlay. */
export function highlightOf(figure: Figure, row: number): Float64Array | null {
  const found = figure.props.rows[row];
  return found && (figure.props.view === 'front' || figure.props.view === 'top') ? lineOf(figure, found) : null;
}
