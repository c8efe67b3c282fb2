/** Nearest neighbours of points, the nearest first: those of point i are `indices[i * neighbours]` and the next. */
export interface Graph {
  readonly count: number;
  readonly neighbours: number;
  readonly indices: Int32Array;
  readonly distances: Float32Array;
}

/** Pairs of points with a weight; each pair is there once, from the smaller number to the larger. */
export interface Pairs {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly weights: Float64Array;
}

/** Joins the weights of the two directions of each pair; a direction that the graph does not have has the weight 0. */
export function joined(
  { count, neighbours, indices }: Graph,
  directed: Float64Array,
  join: (one: number, other: number) => number,
): Pairs {
  const weights = new Map<number, [there: number, back: number]>();
  for (let i = 0, at = 0; i < count; i++)
    for (let k = 0; k < neighbours; k++, at++) {
      const j = indices[at] as number;
      const key = Math.min(i, j) * count + Math.max(i, j);
      let pair = weights.get(key);
      if (!pair) weights.set(key, (pair = [0, 0]));
      pair[i < j ? 0 : 1] = directed[at] as number;
    }
  const [from, to] = [new Int32Array(weights.size), new Int32Array(weights.size)];
  const found = new Float64Array(weights.size);
  let at = 0;
  for (const [key, [there, back]] of weights) {
    from[at] = Math.floor(key / count);
    to[at] = key % count;
    found[at++] = join(there, back);
  }
  return { from, to, weights: found };
}

/** Random numbers from 0 to 1 that are the same at every start (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A layout on its way: each step moves all points once. */
export interface Layout {
  /** x, y (and z) of one point after the other. */
  readonly places: Float64Array;
  readonly steps: number;
  step(): void;
}

/** What the page and the worker of layouts tell each other. */
export interface Start {
  readonly method: 'umap' | 'tsne';
  readonly count: number;
  readonly neighbours: number;
  readonly indices: Int32Array;
  readonly distances: Float32Array;
  readonly dimensions: 2 | 3;
  /** Principal components of the points, `dimensions` numbers each: where they begin. */
  readonly begin: Float32Array;
  readonly minDist: number;
  readonly perplexity: number;
}
export type ToWorker = { readonly start: Start } | { readonly runs: boolean };

export interface FromWorker {
  /** x, y (and z) of one point after the other. */
  readonly places: Float32Array;
  readonly done: number;
  readonly steps: number;
}
