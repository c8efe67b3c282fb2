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
