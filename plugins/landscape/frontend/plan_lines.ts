/** Lines and bands of equal loss as marks: without the kit, for the page and for a worker. */
import { areaData, lineData, ringsOf, type Grid } from './contours';
import type { PathMark, Rectangle } from './mark_types';
import { css, rampColor, type RampName } from './ramps';

/** What the lines of one picture are made of. */
export interface Contours {
  readonly grids: readonly { readonly landscape: Grid; readonly run: string; readonly color: string }[];
  /** Bands instead of lines. */
  readonly filled: boolean;
  readonly levels: readonly number[];
  readonly extent: { readonly x: readonly [number, number]; readonly y: readonly [number, number] };
  readonly plot: Rectangle;
  readonly ramp: RampName;
  /** The run in front. */
  readonly front: string | null;
  /** Colours of the page. */
  readonly surface: string;
  readonly hole: string;
}

const OTHERS = 24; // lines of the landscapes behind the one in front, all together, about

interface Projection {
  toX(x: number): number;
  toY(y: number): number;
  fromX(px: number): number;
  fromY(py: number): number;
}

export function projection(
  { x: [x0, x1], y: [y0, y1] }: Contours['extent'],
  { left, top, width, height }: Rectangle,
): Projection {
  return {
    toX: (x) => left + ((x - x0) / (x1 - x0)) * width,
    toY: (y) => top + height - ((y - y0) / (y1 - y0)) * height,
    fromX: (px) => x0 + ((px - left) / width) * (x1 - x0),
    fromY: (py) => y0 + ((top + height - py) / height) * (y1 - y0),
  };
}

export const box = ({ left, top, width, height }: Rectangle): string => `M${left},${top}h${width}v${height}h${-width}Z`;

/** Every how many lines those landscapes have that are not in front. */
export function strideOf(levels: number, count: number): number {
  return Math.max(1, Math.ceil((levels * (count - 1)) / OTHERS));
}

/** The lines that those have. */
export function levelsBehind(levels: readonly number[], count: number): readonly number[] {
  const stride = strideOf(levels.length, count);
  return levels.filter((_, n) => n % stride === Math.floor(stride / 2));
}

/** The one in front comes first. */
export function frontFirst<T extends { readonly run: string }>(
  items: readonly T[],
  front: string | null,
): readonly T[] {
  const found = items.find(({ run }) => run === front);
  return found ? [found, ...items.filter((item) => item !== found)] : items;
}

/** The lines, without the path. */
export function contourMarks(contours: Contours): readonly PathMark[] {
  const { grids, filled, levels, plot, ramp, front, surface, hole } = contours;
  const to = projection(contours.extent, plot);
  const [first, ...others] = frontFirst(grids, front);
  const inFront: PathMark[] = [];
  if (first) {
    const { landscape } = first;
    const region = plotRegion(landscape, to, plot);
    const lines = levels.map((level) => lineData(ringsOf(landscape, level), to.toX, to.toY));
    if (filled) {
      const areas = [box(region), ...levels.map((level) => areaData(ringsOf(landscape, level), to.toX, to.toY))];
      areas.forEach((d, n) => {
        if (!d) return;
        inFront.push({
          kind: 'path',
          d,
          fill: css(rampColor(ramp, (n + 0.5) / (levels.length + 1))),
          clip: region,
        }); // of the band above the n-th line
        if (n > 0) inFront.push({ kind: 'path', d: lines[n - 1] as string, stroke: surface, width: 0.4, clip: region });
      });
    } else {
      lines.forEach(
        (d, n) =>
          d &&
          inFront.push({
            kind: 'path',
            d,
            stroke: css(rampColor(ramp, (n + 1) / (levels.length + 1))),
            width: others.length > 0 ? 2.2 : 1.4,
            clip: region,
          }),
      );
    }
    const holes = holesOf(landscape, to);
    if (holes) inFront.push({ kind: 'path', d: holes, fill: hole, clip: region });
  }
  const behind: PathMark[] = [];
  const some = levelsBehind(levels, grids.length);
  for (const { landscape, color } of others) {
    const clip = plotRegion(landscape, to, plot);
    const d = some.map((level) => lineData(ringsOf(landscape, level), to.toX, to.toY)).join('');
    if (d && filled) behind.push({ kind: 'path', d, stroke: surface, width: 2.6, opacity: 0.6, clip });
    if (d) behind.push({ kind: 'path', d, stroke: color, width: 1.3, opacity: filled ? 1 : 0.6, clip });
  }
  return filled ? [...inFront, ...behind] : [...behind, ...inFront]; // bands would hide lines below them
}

/** The area of a landscape within the plot, which may be smaller or larger. */
function plotRegion({ x, y }: Grid, to: Projection, plot: Rectangle): Rectangle {
  const left = Math.max(plot.left, to.toX(x[0] as number));
  const right = Math.min(plot.left + plot.width, to.toX(x.at(-1) as number));
  const top = Math.max(plot.top, to.toY(y.at(-1) as number));
  const bottom = Math.min(plot.top + plot.height, to.toY(y[0] as number));
  return { left, top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/** The squares of the grid that have a corner without a number. */
function holesOf({ x, y, z }: Grid, to: Projection): string {
  const parts: string[] = [];
  for (let row = 0; row + 1 < y.length; row++) {
    for (let column = 0; column + 1 < x.length; column++) {
      const at = row * x.length + column;
      if ([0, 1, x.length, x.length + 1].every((more) => Number.isFinite(z[at + more]))) continue;
      const [left, right] = [to.toX(x[column] as number), to.toX(x[column + 1] as number)];
      const [bottom, top] = [to.toY(y[row] as number), to.toY(y[row + 1] as number)];
      parts.push(`M${left.toFixed(1)},${top.toFixed(1)}H${right.toFixed(1)}V${bottom.toFixed(1)}H${left.toFixed(1)}Z`);
    }
  }
  return parts.join('');
}
