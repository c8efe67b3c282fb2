import { evenTicks, WHOLE_DIGITS } from '@insight-host/kit';
import { projected, type Matrix, type Point } from '@insight-host/kit/scene';
import { HALF_HEIGHT, viewMatrix, type Camera } from './view';
import { alongPath, MAX_SIDE, type Landscape } from './landscape';
import { apart, type Mark, type Picture, type Rectangle, type TextMark } from './marks';
import { coarse, inBox, meshOf, VALUES, type Mesh } from './mesh';
import { barWidth, circle, colorBar, type Item, type Look } from './plan';
import { frontFirst } from './plan_lines';
import { parsed, rampColor, tintColor, type Color } from './ramps';
import type { Renderer, Ribbon } from './renderer';
import { numberTexts, scaleTexts, type Extent, type LossScale } from './scale';

const COLORS = 128;
const REACH = 22; // pixels from the pointer to a point of the surface
const MOVED = 10_000; // points that software draws while they turn
const DRAFT = 48; // points a side, of more than that
const EDGE = 12; // pixels above and below the colour bar
const BEHIND = 0.5; // of the opacity, for landscapes behind the one in front
const LIFT = 0.006; // of a path above its own height, so that the surface does not swallow it

interface Kept {
  readonly key: string;
  readonly mesh: Mesh;
}
const kept = new WeakMap<Landscape, Kept>();

/** The mesh of a landscape in this box; kept while the box is the same. */
function meshIn(landscape: Landscape, extent: Extent, scale: LossScale): Mesh {
  const key = [extent.x, extent.y, scale.low, scale.high, scale.log].join();
  const known = kept.get(landscape);
  if (known?.key === key) return known.mesh;
  const mesh = meshOf(landscape, extent, scale);
  kept.set(landscape, { key, mesh });
  return mesh;
}

interface SurfaceView {
  readonly camera: Camera;
  readonly opacity: number;
  readonly progress: number;
  /** The next picture follows at once: this one may be coarse where fine ones take long. */
  readonly moving: boolean;
}

/** Where the scene is in a picture: the colour bar is next to it. */
function sceneOf(look: Look, width: number, height: number): Rectangle {
  const inner = Math.max(20, height - 2 * EDGE);
  return { left: 0, top: EDGE, width: Math.max(20, width - barWidth(look)), height: inner };
}

/** The surfaces with their paths, in a box with axes; the image is a copy. */
export function surfacePicture(
  renderer: Renderer,
  items: readonly Item[],
  look: Look,
  view: SurfaceView,
  width: number,
  height: number,
  ratio: number,
): Picture {
  const plot = sceneOf(look, width, height);
  const matrix = viewMatrix(view.camera, plot.width, height);
  const ordered = frontFirst(items, look.front);
  const points = ordered.reduce((sum, { landscape }) => sum + landscape.z.length, 0);
  const side = renderer.isSoftware && view.moving && points > MOVED ? DRAFT : MAX_SIDE;
  const surfaces = ordered.map(({ landscape, color }, n) => ({
    mesh: meshIn(coarse(landscape, side), look.extent, look.scale),
    colors: colorsOf(look, n > 0 ? parsed(color) : null),
    opacity: n > 0 ? view.opacity * BEHIND : view.opacity,
  }));
  const ribbons = items.flatMap((item) => ribbonOf(item, look, view.progress));
  const drawn = renderer.draw({ surfaces, ribbons, levels: look.levels }, matrix, plot.width, height, ratio);
  const image = document.createElement('canvas');
  image.width = drawn.width;
  image.height = drawn.height;
  image.getContext('2d')?.drawImage(drawn, 0, 0);
  const floor = floorMarks(look, matrix, view.camera, plot.width, height);
  const marks: Mark[] = [
    ...floor.under,
    { kind: 'image', image, width: image.width / ratio, height: image.height / ratio },
    ...floor.over,
  ];
  marks.push(
    ...items.flatMap((item) =>
      pointMarks(
        item,
        items.length > 1 ? { ...look, path: { ...look.path, color: item.color } } : look,
        matrix,
        view.progress,
        plot.width,
        height,
      ),
    ),
  );
  marks.push(...colorBar(look, plot));
  return { width, height, marks };
}

function colorsOf(look: Look, own: Color | null): readonly Color[] {
  return Array.from({ length: COLORS }, (_, i) =>
    own ? tintColor(own, i / (COLORS - 1)) : rampColor(look.ramp, i / (COLORS - 1)),
  );
}

function ribbonOf({ landscape: { path } }: Item, look: Look, progress: number): readonly Ribbon[] {
  if (!path) return [];
  const here = alongPath(path, progress);
  const points: Point[] = [];
  const add = (x: number, y: number, loss: number): void => {
    const [bx, by, bz] = inBox(look.extent, look.scale, x, y, loss);
    if (Number.isFinite(bz)) points.push([bx, by, bz + LIFT]);
  };
  for (let i = 0; i <= here.index; i++) add(path.x[i] as number, path.y[i] as number, path.z[i] as number);
  add(here.x, here.y, here.z);
  return [{ points, color: parsed(look.path.color), width: look.path.width }];
}

function pointMarks(
  { landscape: { path, about } }: Item,
  look: Look,
  matrix: Matrix,
  progress: number,
  width: number,
  height: number,
): readonly Mark[] {
  const end = about.convergence;
  const here = path ? alongPath(path, progress) : end ? { x: end[0], y: end[1], z: end[2] } : null;
  if (!here) return [];
  const point = inBox(look.extent, look.scale, here.x, here.y, here.z);
  if (!Number.isFinite(point[2])) return [];
  const [x, y] = projected(matrix, point, width, height);
  return [
    {
      kind: 'path',
      d: circle(x, y, 3 + look.path.width / 2),
      fill: look.path.color,
      stroke: look.ink.surface,
      width: 1.5,
    },
  ];
}

/** The floor of the box behind the surface, and numbers at its edges that face the viewer. */
function floorMarks(
  { extent, scale, ink }: Look,
  matrix: Matrix,
  { azimuth }: Camera,
  width: number,
  height: number,
): { readonly under: readonly Mark[]; readonly over: readonly Mark[] } {
  const at = (x: number, y: number, z: number): Point => projected(matrix, [x, y, z], width, height);
  const line = (a: Point, b: Point): string =>
    `M${a[0].toFixed(1)},${a[1].toFixed(1)}L${b[0].toFixed(1)},${b[1].toFixed(1)}`;
  const under: Mark[] = [];
  const over: TextMark[] = [];
  const low = -HALF_HEIGHT;
  const turn = (azimuth * Math.PI) / 180;
  // The viewer stands at (sin, -cos): these edges are the near ones.
  const nearY = Math.cos(turn) >= 0 ? -1 : 1;
  const nearX = Math.sin(turn) >= 0 ? 1 : -1;
  if (scale.high > scale.low) {
    const post = [
      [nearX, -nearY],
      [-nearX, nearY],
    ]
      .map(([x, y]) => [x as number, y as number] as const)
      .sort((a, b) => at(a[0], a[1], 0)[0] - at(b[0], b[1], 0)[0])[0] as readonly [number, number];
    under.push({
      kind: 'path',
      d: line(at(post[0], post[1], low), at(post[0], post[1], HALF_HEIGHT)),
      stroke: ink.border,
    });
    const shares = [1, 0, 0.5];
    const texts = scaleTexts(scale, 2);
    for (const share of shares) {
      const [x, y] = at(post[0], post[1], (2 * share - 1) * HALF_HEIGHT);
      over.push({ kind: 'text', x: x - 6, y, text: texts[2 * share] as string, color: ink.muted, anchor: 'end' });
    }
  }
  for (const [axis, edge] of [
    ['x', at(0, nearY * 1.24, low)],
    ['y', at(nearX * 1.24, 0, low)],
  ] as const)
    over.push({ kind: 'text', x: edge[0], y: edge[1] + 6, text: axis, color: ink.text, anchor: 'middle' });
  const grid: string[] = [];
  const place = (value: number, [from, to]: readonly [number, number]): number =>
    (2 * (value - from)) / (to - from) - 1;
  for (const [axis, range] of [
    ['x', extent.x],
    ['y', extent.y],
  ] as const) {
    const values = evenTicks(...range, 5, WHOLE_DIGITS);
    const texts = numberTexts(values);
    values.forEach((value, n) => {
      const p = place(value, range);
      grid.push(axis === 'x' ? line(at(p, -1, low), at(p, 1, low)) : line(at(-1, p, low), at(1, p, low)));
      const edge = axis === 'x' ? at(p, nearY * 1.09, low) : at(nearX * 1.09, p, low);
      over.push({
        kind: 'text',
        x: edge[0],
        y: edge[1] + 4,
        text: texts[n] as string,
        color: ink.muted,
        anchor: 'middle',
      });
    });
  }
  under.push({ kind: 'path', d: grid.join(''), stroke: ink.grid });
  const corners = [at(-1, -1, low), at(1, -1, low), at(1, 1, low), at(-1, 1, low)];
  under.push({
    kind: 'path',
    d: `${corners.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)},${y.toFixed(1)}`).join('')}Z`,
    stroke: ink.border,
  });
  return { under, over: apart(over) };
}

interface Picked {
  readonly item: number;
  readonly x: number;
  readonly y: number;
  readonly loss: number;
  readonly px: number;
  readonly py: number;
}

/** The point of the grids that is drawn nearest to a place; of several there, the one nearest to the viewer. */
export function pick(
  items: readonly Item[],
  look: Look,
  camera: Camera,
  width: number,
  height: number,
  px: number,
  py: number,
): Picked | null {
  const inner = sceneOf(look, width, height).width;
  const matrix = viewMatrix(camera, inner, height);
  let best: Picked | null = null;
  let least = Infinity;
  items.forEach(({ landscape }, item) => {
    const { vertices } = meshIn(landscape, look.extent, look.scale);
    const { x, y, z } = landscape;
    for (let at = 0; at < z.length; at++) {
      if (!Number.isFinite(z[at])) continue;
      const n = at * VALUES;
      const [sx, sy, depth] = projected(
        matrix,
        [vertices[n] as number, vertices[n + 1] as number, vertices[n + 2] as number],
        inner,
        height,
      );
      const distance = Math.hypot(sx - px, sy - py);
      if (distance > REACH) continue;
      const rank = distance / REACH + 60 * depth; // what is behind loses, unless it is much nearer to the pointer
      if (rank < least) {
        least = rank;
        best = {
          item,
          x: x[at % x.length] as number,
          y: y[Math.floor(at / x.length)] as number,
          loss: z[at] as number,
          px: sx,
          py: sy,
        };
      }
    }
  });
  return best;
}
