/** The points of a line in pixels, thinned to what a screen can show. */
import type { Line } from './props';
import type { Numbers, Polylines, Scale } from '@insight-host/kit/draw';
import { pieces, visible } from './extent';

export type EdgeMark = 'nan' | 'up' | 'down';

/** A line in screen coordinates. */
export interface Trace extends Polylines {
  /** Points with no neighbour to be joined to: x, y interleaved. */
  readonly dots: readonly number[];
  /** Pixel columns with values that are not finite. */
  readonly marks: readonly { readonly x: number; readonly kind: EdgeMark }[];
  /** Points in view that a logarithmic axis cannot show. */
  readonly leftOut: number;
}

const FAR = 1e5; // pixels; beyond this, rasterisers lose precision
const MARGIN = 50; // pixels left and right of the plot that are still drawn

/** Turns the part of a line that is in view into polylines, with at most four points per device pixel column. */
export function trace(line: Line, sx: Scale, sy: Scale, ys: Numbers = line.y, ratio = 1): Trace {
  const path = new Path(sx.range[0] - MARGIN, sx.range[1] + MARGIN);
  const marks = new Map<string, { x: number; kind: EdgeMark }>();
  let leftOut = 0;
  const columns = (sx.range[1] - sx.range[0]) * ratio;
  for (const piece of pieces(line)) {
    const [start, end] = visible(line.x, piece, sx.domain);
    const reduce = piece.sorted && end - start > 3 * columns;
    path.open(reduce ? ratio : 0);
    for (let i = start; i < end; i++) {
      const x = line.x[i] as number;
      const y = ys[i] as number;
      const px = sx.toPixel(x);
      if (!Number.isFinite(px)) {
        if (sx.log && x <= 0) leftOut++;
        continue;
      }
      if (Number.isFinite(y)) {
        const py = sy.toPixel(y);
        if (Number.isNaN(py)) {
          leftOut++;
          path.gap();
        } else {
          path.add(px, Math.max(-FAR, Math.min(FAR, py)));
        }
        continue;
      }
      path.gap();
      if (px < sx.range[0] - 0.5 || px > sx.range[1] + 0.5) continue;
      const kind: EdgeMark = Number.isNaN(y) ? 'nan' : y > 0 ? 'up' : 'down';
      const column = Math.round(px);
      marks.set(`${kind}${column}`, { x: px, kind });
    }
    path.gap();
  }
  return {
    points: path.points,
    starts: path.starts,
    end: path.count,
    dots: path.dots,
    marks: [...marks.values()],
    leftOut,
  };
}

class Path {
  points = new Float64Array(512);
  starts: number[] = [];
  dots: number[] = [];
  count = 0;
  private first = 0; // of the current polyline
  private ratio = 0; // device pixels per pixel when columns are reduced, else 0
  private column = NaN;
  // Of the current column: points in their order, as x, y.
  private entry: [number, number] | null = null;
  private low: [number, number, number] = [0, 0, 0];
  private high: [number, number, number] = [0, 0, 0];
  private last: [number, number] = [0, 0];
  private seen = 0;

  constructor(
    private readonly left: number,
    private readonly right: number,
  ) {}

  open(ratio: number): void {
    this.ratio = ratio;
    this.first = this.count;
  }

  add(x: number, y: number): void {
    if (!this.ratio) {
      this.push(x, y);
      return;
    }
    const column = Math.floor(x * this.ratio);
    if (column !== this.column) {
      this.flush();
      this.column = column;
    }
    if (!this.entry) {
      this.entry = [x, y];
      this.low = [x, y, 0];
      this.high = [x, y, 0];
      this.seen = 0;
    } else {
      this.seen++;
      if (y < this.low[1]) this.low = [x, y, this.seen];
      if (y > this.high[1]) this.high = [x, y, this.seen];
    }
    this.last[0] = x;
    this.last[1] = y;
  }

  gap(): void {
    this.flush();
    this.column = NaN;
    const length = this.count - this.first;
    if (length === 1) {
      this.count--;
      const [x, y] = [this.points[2 * this.count] as number, this.points[2 * this.count + 1] as number];
      if (x >= this.left && x <= this.right) this.dots.push(x, y);
    } else if (length > 1) {
      this.cutEdges();
      this.starts.push(this.first);
    }
    this.first = this.count;
  }

  private flush(): void {
    const { entry, low, high, last, seen } = this;
    if (!entry) return;
    this.entry = null;
    this.push(entry[0], entry[1]);
    const [a, b] = low[2] <= high[2] ? [low, high] : [high, low];
    if (a[2] > 0 && a[2] < seen) this.push(a[0], a[1]);
    if (b[2] > 0 && b[2] < seen && b[2] !== a[2]) this.push(b[0], b[1]);
    if (seen > 0) this.push(last[0], last[1]);
  }

  private push(x: number, y: number): void {
    if (2 * this.count + 2 > this.points.length) {
      const wider = new Float64Array(this.points.length * 2);
      wider.set(this.points);
      this.points = wider;
    }
    this.points[2 * this.count] = x;
    this.points[2 * this.count + 1] = y;
    this.count++;
  }

  /** Ends the polyline's outer segments at the margin: neighbours may lie millions of pixels away. */
  private cutEdges(): void {
    const { points, first, count } = this;
    const cut = (from: number, to: number, edge: number): void => {
      const [x1, y1, x2, y2] = [points[2 * from], points[2 * from + 1], points[2 * to], points[2 * to + 1]] as [
        number,
        number,
        number,
        number,
      ];
      if (x1 === x2) return;
      points[2 * from] = edge;
      points[2 * from + 1] = y1 + ((y2 - y1) * (edge - x1)) / (x2 - x1);
    };
    if ((points[2 * first] as number) < this.left && (points[2 * first + 2] as number) > this.left)
      cut(first, first + 1, this.left);
    if ((points[2 * count - 2] as number) > this.right && (points[2 * count - 4] as number) < this.right)
      cut(count - 1, count - 2, this.right);
  }
}
