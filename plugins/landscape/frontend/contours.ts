/** Lines of equal loss of a landscape. */
/** The losses of a landscape, as `Landscape` has them. */
export interface Grid {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array;
}

/** A closed line around where the loss is at least a level. */
interface Ring {
  /** In coordinates of the axes; what is beyond the edge is beyond the plot. */
  readonly points: readonly (readonly [number, number])[];
  /** Of each point, 1 where the way to it from the one before is between four points of the grid that are numbers. */
  readonly isLine: Uint8Array;
}

const rings = new WeakMap<Grid, Map<number, readonly Ring[]>>();
const MOST = 400; // levels whose rings are kept of one landscape

export function ringsOf(landscape: Grid, level: number): readonly Ring[] {
  const kept = rings.get(landscape) ?? new Map<number, readonly Ring[]>();
  rings.set(landscape, kept);
  let found = kept.get(level);
  if (!found) {
    if (kept.size >= MOST) kept.clear();
    const { x, y, z } = landscape;
    found = ringsIn(z, x.length, y.length, level).map(({ us, vs, isLine }) => ({
      points: us.map((u, i) => [onAxis(x, u), onAxis(y, vs[i] as number)] as const),
      isLine: Uint8Array.from(isLine),
    }));
    kept.set(level, found);
  }
  return found;
}

/** The value at an index between two points; beyond the ends the last interval goes on. */
function onAxis(axis: Float64Array, index: number): number {
  const from = Math.max(0, Math.min(Math.floor(index), axis.length - 2));
  const [low, high] = [axis[from] as number, axis[from + 1] as number];
  return low + (high - low) * (index - from);
}

type Place = (value: number) => number;
const text = ([x, y]: readonly [number, number], toX: Place, toY: Place): string =>
  `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`;

/** The rings, as areas to be filled. */
export function areaData(found: readonly Ring[], toX: Place, toY: Place): string {
  return found.map(({ points }) => `M${points.map((point) => text(point, toX, toY)).join('L')}Z`).join('');
}

/**
 * The contour rings without the parts along the edges and around non-finite points, which are not lines of equal loss.
 */
export function lineData(found: readonly Ring[], toX: Place, toY: Place): string {
  const parts: string[] = [];
  for (const { points, isLine } of found) {
    points.forEach((point, i) => {
      if (!isLine[i]) return;
      if (!isLine[i - 1]) parts.push(`M${text(points[i - 1] as readonly [number, number], toX, toY)}`);
      parts.push(`L${text(point, toX, toY)}`);
    });
  }
  return parts.join('');
}

/**
 * Closed lines around where a grid is at least a level: marching squares, in time that grows with the grid alone.
 * (d3-contour finds the area of each hole: 20 lines through 256 x 256 points of noise took 40 s. Areas are filled by
 * the even-odd rule here, which needs no holes.)
 */

/** One closed line, its first point again at the end; coordinates are indices of the grid. */
export interface GridRing {
  readonly us: number[];
  readonly vs: number[];
  /** Of each point, whether the way to it from the one before is between four points of the grid that are numbers. */
  readonly isLine: number[];
}

const [TOP, RIGHT, BOTTOM, LEFT] = [0, 1, 2, 3] as const;
type Side = typeof TOP | typeof RIGHT | typeof BOTTOM | typeof LEFT;
/**
 * From side to side of a square, what is above the level on the left; by the sum of 1, 2, 4 and 8 for the corners above
 * it, clockwise from the top left. Of the two squares with opposite corners the corners are apart; joined they are 16
 * and 17.
 */
const WAYS: readonly (readonly (readonly [Side, Side])[])[] = [
  [],
  [[LEFT, TOP]],
  [[TOP, RIGHT]],
  [[LEFT, RIGHT]],
  [[RIGHT, BOTTOM]],
  [
    [LEFT, TOP],
    [RIGHT, BOTTOM],
  ],
  [[TOP, BOTTOM]],
  [[LEFT, BOTTOM]],
  [[BOTTOM, LEFT]],
  [[BOTTOM, TOP]],
  [
    [TOP, RIGHT],
    [BOTTOM, LEFT],
  ],
  [[BOTTOM, RIGHT]],
  [[RIGHT, LEFT]],
  [[RIGHT, TOP]],
  [[TOP, LEFT]],
  [],
  [
    [LEFT, BOTTOM],
    [RIGHT, TOP],
  ],
  [
    [TOP, LEFT],
    [BOTTOM, RIGHT],
  ],
];

/** What is not a number is below every level, and so is what is outside. */
export function ringsIn(z: ArrayLike<number>, columns: number, rows: number, level: number): readonly GridRing[] {
  const wide = columns + 2; // with a border
  const high = rows + 2;
  const at = (column: number, row: number): number =>
    column < 1 || row < 1 || column > columns || row > rows ? NaN : (z[(row - 1) * columns + column - 1] as number);
  const isAbove = new Uint8Array(wide * high);
  for (let row = 1; row <= rows; row++)
    for (let column = 1; column <= columns; column++)
      isAbove[row * wide + column] = (z[(row - 1) * columns + column - 1] as number) >= level ? 1 : 0;
  const upright = wide * high; // numbers of sides from here on are upright
  const next = new Int32Array(2 * upright).fill(-1);
  const square = new Int32Array(2 * upright);
  for (let row = 0; row < high - 1; row++)
    for (let column = 0; column < wide - 1; column++) {
      const place = row * wide + column;
      const corners =
        (isAbove[place] as number) +
        2 * (isAbove[place + 1] as number) +
        4 * (isAbove[place + wide + 1] as number) +
        8 * (isAbove[place + wide] as number);
      if (corners === 0 || corners === 15) continue;
      const sides = [place, upright + place + 1, place + wide, upright + place];
      for (const [from, to] of WAYS[joined(corners, at, column, row, level)] as (typeof WAYS)[number]) {
        next[sides[from] as number] = sides[to] as number;
        square[sides[from] as number] = place;
      }
    }
  const found: GridRing[] = [];
  for (let start = 0; start < next.length; start++) {
    if ((next[start] as number) < 0) continue;
    const ring: GridRing = { us: [], vs: [], isLine: [] };
    let side = start;
    let before = -1;
    do {
      addPoint(ring, side, wide, upright, at, level);
      ring.isLine.push(before >= 0 && isNumbers(square[before] as number, wide, at) ? 1 : 0);
      const following = next[side] as number;
      next[side] = -1;
      before = side;
      side = following;
    } while (side !== start);
    ring.us.push(ring.us[0] as number);
    ring.vs.push(ring.vs[0] as number);
    ring.isLine.push(isNumbers(square[before] as number, wide, at) ? 1 : 0);
    found.push(ring);
  }
  return found;
}

type At = (column: number, row: number) => number;

/** Opposite corners are joined if the middle is above the level. */
function joined(corners: number, at: At, column: number, row: number, level: number): number {
  if (corners !== 5 && corners !== 10) return corners;
  const middle = (at(column, row) + at(column + 1, row) + at(column, row + 1) + at(column + 1, row + 1)) / 4;
  return middle >= level ? (corners === 5 ? 16 : 17) : corners;
}

/** Where the level is between the two points of a side; next to what is not finite, the point that is. */
function addPoint(ring: GridRing, side: number, wide: number, upright: number, at: At, level: number): void {
  const isUpright = side >= upright;
  const place = isUpright ? side - upright : side;
  const [column, row] = [place % wide, Math.floor(place / wide)];
  const [a, b] = [at(column, row), isUpright ? at(column, row + 1) : at(column + 1, row)];
  const isInside = isUpright ? row >= 1 && row < Math.floor(upright / wide) - 2 : column >= 1 && column < wide - 2;
  const share = !isInside
    ? 0.5
    : Number.isFinite(a) && Number.isFinite(b)
      ? (level - a) / (b - a)
      : Number.isFinite(a)
        ? 0
        : Number.isFinite(b)
          ? 1
          : 0.5;
  ring.us.push(column - 1 + (isUpright ? 0 : share));
  ring.vs.push(row - 1 + (isUpright ? share : 0));
}

/** Whether the four corners of a square are within the grid and finite. */
function isNumbers(place: number, wide: number, at: At): boolean {
  const [column, row] = [place % wide, Math.floor(place / wide)];
  return (
    Number.isFinite(at(column, row)) &&
    Number.isFinite(at(column + 1, row)) &&
    Number.isFinite(at(column, row + 1)) &&
    Number.isFinite(at(column + 1, row + 1))
  );
}
