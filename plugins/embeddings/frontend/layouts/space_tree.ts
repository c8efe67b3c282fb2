const DEEPEST = 40; // cells within cells: points that are nearer to each other count as one
const MOST_CELLS = 4; // times the points: room to begin with

/** A quadtree or octree over points: each cell knows how many points it has and where their middle is. */
export class SpaceTree {
  private readonly fan: number; // cells in a cell
  private cells = 0;
  private children: Int32Array; // of each cell; 0 is none
  private sizes: Float64Array; // number of points
  private middles: Float64Array; // sums of coordinates
  private sides: Float64Array;
  private points: Int32Array; // the only point of a cell; -1 is none or several
  private readonly low: number[];
  private readonly side: number;
  private readonly stack: number[] = [];

  constructor(
    private readonly places: Float64Array,
    private readonly dimensions: number,
  ) {
    this.fan = 1 << dimensions;
    const count = places.length / dimensions;
    const room = Math.max(16, count * MOST_CELLS);
    this.children = new Int32Array(room * this.fan);
    this.sizes = new Float64Array(room);
    this.middles = new Float64Array(room * dimensions);
    this.sides = new Float64Array(room);
    this.points = new Int32Array(room).fill(-1);
    this.low = Array.from({ length: dimensions }, () => Infinity);
    const high = Array.from({ length: dimensions }, () => -Infinity);
    places.forEach((place, i) => {
      const k = i % dimensions;
      this.low[k] = Math.min(this.low[k] as number, place);
      high[k] = Math.max(high[k] as number, place);
    });
    this.side = Math.max(1e-12, ...high.map((most, k) => most - (this.low[k] as number))) * 1.0001;
    this.add(this.side);
    for (let i = 0; i < count; i++) this.insert(i);
  }

  /**
   * Adds (1 + d²)⁻² (p - q) over all other points q to `force`, and returns the sum of (1 + d²)⁻¹. Cells that are
   * smaller than `angle` times their distance count as one place.
   */
  repulsion(point: number, angle: number, force: Float64Array): number {
    const { dimensions, fan, places, sizes, middles, children, points, sides, stack } = this;
    const own = point * dimensions;
    const limit = angle * angle;
    let whole = 0;
    stack.length = 0;
    stack.push(0);
    while (stack.length > 0) {
      const cell = stack.pop() as number;
      const size = sizes[cell] as number;
      if (points[cell] === point && size === 1) continue;
      let distance = 0;
      for (let k = 0; k < dimensions; k++) {
        const away = (places[own + k] as number) - (middles[cell * dimensions + k] as number) / size;
        distance += away * away;
      }
      const isLeaf = points[cell] !== -1;
      if (!isLeaf && (sides[cell] as number) ** 2 >= limit * distance) {
        for (let child = 0; child < fan; child++) {
          const inner = children[cell * fan + child] as number;
          if (inner > 0) stack.push(inner);
        }
        continue;
      }
      // a leaf of several points at one place: the point itself is one of them if it is there
      const others = isLeaf && size > 1 && distance <= dimensions * (sides[cell] as number) ** 2 ? size - 1 : size;
      const near = 1 / (1 + distance);
      whole += others * near;
      const strength = others * near * near;
      for (let k = 0; k < dimensions; k++) {
        const away = (places[own + k] as number) - (middles[cell * dimensions + k] as number) / size;
        force[k] = (force[k] as number) + strength * away;
      }
    }
    return whole;
  }

  private add(side: number): number {
    if (this.cells === this.sizes.length) this.grow();
    this.sides[this.cells] = side;
    return this.cells++;
  }

  private grow(): void {
    const larger = <T extends Float64Array | Int32Array>(old: T, fill = 0): T => {
      const made = new (old.constructor as new (size: number) => T)(old.length * 2);
      if (fill !== 0) made.fill(fill);
      made.set(old);
      return made;
    };
    this.children = larger(this.children);
    this.sizes = larger(this.sizes);
    this.middles = larger(this.middles);
    this.sides = larger(this.sides);
    this.points = larger(this.points, -1);
  }

  private insert(point: number): void {
    const { dimensions, fan, places } = this;
    const low = [...this.low];
    let cell = 0;
    let side = this.side;
    for (let depth = 0; ; depth++) {
      const size = this.sizes[cell] as number;
      this.sizes[cell] = size + 1;
      for (let k = 0; k < dimensions; k++) {
        const at = cell * dimensions + k;
        this.middles[at] = (this.middles[at] as number) + (places[point * dimensions + k] as number);
      }
      if (size === 0) return void (this.points[cell] = point);
      const before = this.points[cell] as number;
      if (depth === DEEPEST) return; // the cell stays a leaf with the first point's number
      side /= 2;
      if (before !== -1) {
        this.points[cell] = -1;
        this.descend(cell, before, low, side);
      }
      let child = 0;
      for (let k = 0; k < dimensions; k++)
        if ((places[point * dimensions + k] as number) >= (low[k] as number) + side) {
          child |= 1 << k;
          low[k] = (low[k] as number) + side;
        }
      const at = cell * fan + child;
      if (this.children[at] === 0) {
        const made = this.add(side);
        this.children[at] = made;
      }
      cell = this.children[at] as number;
    }
  }

  /** Moves the only point of a cell into a cell within. */
  private descend(cell: number, point: number, low: readonly number[], side: number): void {
    const { dimensions, fan, places } = this;
    let child = 0;
    for (let k = 0; k < dimensions; k++)
      if ((places[point * dimensions + k] as number) >= (low[k] as number) + side) child |= 1 << k;
    const made = this.add(side);
    this.children[cell * fan + child] = made;
    this.sizes[made] = 1;
    this.points[made] = point;
    for (let k = 0; k < dimensions; k++) this.middles[made * dimensions + k] = places[point * dimensions + k] as number;
  }
}
