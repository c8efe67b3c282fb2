import type { Landscape, TrainingPath } from './landscape';

/** A landscape of these losses, row by row. */
export function landscapeOf(
  x: readonly number[],
  y: readonly number[],
  z: readonly number[],
  path: TrainingPath | null = null,
): Landscape {
  const finite = z.filter(Number.isFinite);
  return {
    about: {
      id: 'final',
      tag: 'landscape_[1]',
      step: 0,
      wall_time: 0,
      run: 'a',
      decomposition: 'Random',
      step_per_epoch: 0,
      convergence: null,
      notes: {},
      facts: { network: null, optimizer: null, learning_rate: null, loss: null, metric: {} },
    },
    x: new Float64Array(x),
    y: new Float64Array(y),
    z: new Float64Array(z),
    path,
    low: finite.length > 0 ? Math.min(...finite) : NaN,
    high: finite.length > 0 ? Math.max(...finite) : NaN,
  };
}

export function pathOf(
  at: readonly number[],
  x: readonly number[],
  y: readonly number[],
  z: readonly number[],
): TrainingPath {
  return { at: new Float64Array(at), x: new Float64Array(x), y: new Float64Array(y), z: new Float64Array(z) };
}
