import { describe, expect, it } from 'vitest';
import written from './expected.json';
import { random, type Graph, type Pairs } from './graph';
import { gradientOf, similarities, tsne } from './tsne';
import { curveOf, fuzzySet, umap } from './umap';

interface Expected {
  readonly indices: readonly number[];
  readonly distances: readonly number[];
  readonly components: readonly number[];
  readonly curves: Readonly<Record<string, readonly [number, number]>>;
  readonly fuzzy: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  readonly similarities: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  readonly trustworthiness: { readonly umap: number; readonly tsne: number };
}

// what umap-learn and scikit-learn say (tests/fixtures/write_layouts.py)
const expected = written as unknown as Expected;
const COUNT = expected.components.length / 2;
const ALL = expected.indices.length / COUNT;

function graphOf(neighbours: number): Graph {
  const take = <T>(values: readonly T[]): T[] => values.filter((_, i) => i % ALL < neighbours);
  return {
    count: COUNT,
    neighbours,
    indices: Int32Array.from(take(expected.indices)),
    distances: Float32Array.from(take(expected.distances)),
  };
}

function rowOf({ from, to, weights }: Pairs, point: number): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  weights.forEach((weight, i) => {
    if (from[i] === point) found.push([to[i] as number, weight]);
    if (to[i] === point) found.push([from[i] as number, weight]);
  });
  return found.filter(([, weight]) => weight > 0).sort(([one], [other]) => one - other);
}

/**
 * Venna and Kaski 2001, as scikit-learn computes it, with ranks in the order of the graph; farther points rank last.
 */
function trustworthiness(places: Float64Array, dimensions: number, k: number): number {
  let sum = 0;
  for (let i = 0; i < COUNT; i++) {
    const order = Array.from({ length: COUNT }, (_, j) => j)
      .filter((j) => j !== i)
      .map((j) => {
        let away = 0;
        for (let d = 0; d < dimensions; d++)
          away += ((places[i * dimensions + d] as number) - (places[j * dimensions + d] as number)) ** 2;
        return [away, j] as const;
      })
      .sort(([one], [other]) => one - other);
    const ranks = new Map(expected.indices.slice(i * ALL, (i + 1) * ALL).map((j, rank) => [j, rank + 1]));
    for (const [, j] of order.slice(0, k)) sum += Math.max(0, (ranks.get(j) ?? COUNT - 1) - k);
  }
  return 1 - (2 / (COUNT * k * (2 * COUNT - 3 * k - 1))) * sum;
}

function beginning(scale: number): Float64Array {
  return Float64Array.from(expected.components, (value) => value * scale);
}

function clusters(count: number, dimensions: number): Float64Array {
  const draw = random(3);
  return Float64Array.from({ length: count * dimensions }, () => draw() * 4 - 2);
}

describe('UMAP', () => {
  it.each(Object.entries(expected.curves))('fits the curve of umap-learn for the distance %s', (least, [a, b]) => {
    const found = curveOf(Number(least));
    expect(found[0]).toBeCloseTo(a, 3);
    expect(found[1]).toBeCloseTo(b, 3);
  });

  it('has the fuzzy simplicial set of umap-learn', () => {
    const pairs = fuzzySet(graphOf(14));
    for (const [row, weights] of Object.entries(expected.fuzzy)) {
      const found = rowOf(pairs, Number(row)).filter(([, weight]) => weight > 1e-6);
      expect(found.map(([to]) => to)).toEqual(weights.filter(([, w]) => w > 1e-6).map(([to]) => to));
      found.forEach(([, weight], i) =>
        expect(weight).toBeCloseTo(weights.filter(([, w]) => w > 1e-6)[i]?.[1] as number, 3),
      );
    }
  });

  it('keeps neighbours as well as umap-learn', { timeout: 60_000 }, () => {
    const layout = umap(graphOf(14), beginning(3), 2, 0.1);
    for (let i = 0; i < layout.steps; i++) layout.step();
    expect(trustworthiness(layout.places, 2, 10)).toBeGreaterThan(expected.trustworthiness.umap - 0.04);
  });

  it('is the same at every start', () => {
    const [one, other] = [umap(graphOf(14), beginning(3), 2, 0.1), umap(graphOf(14), beginning(3), 2, 0.1)];
    for (let i = 0; i < 20; i++) for (const layout of [one, other]) layout.step();
    expect(one.places).toEqual(other.places);
  });

  it('survives points at one place', () => {
    const graph: Graph = {
      count: 4,
      neighbours: 2,
      indices: Int32Array.of(1, 2, 0, 2, 0, 1, 0, 1),
      distances: new Float32Array(8),
    };
    const layout = umap(graph, new Float64Array(8), 2, 0.1);
    for (let i = 0; i < 20; i++) layout.step();
    expect(layout.places.every(Number.isFinite)).toBe(true);
  });
});

describe('t-SNE', () => {
  it('has the joint probabilities of scikit-learn', () => {
    const pairs = similarities(graphOf(30), 10);
    for (const [row, weights] of Object.entries(expected.similarities)) {
      const found = rowOf(pairs, Number(row));
      const known = new Map(weights);
      for (const [to, weight] of found) expect(Math.abs(weight - (known.get(to) ?? 0))).toBeLessThan(2e-6);
    }
    expect(2 * pairs.weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 6);
  });

  it.each([2, 3])(
    'has the exact gradient with an angle of 0, and nearly that with its tree, in %d dimensions',
    (dimensions) => {
      const places = clusters(COUNT, dimensions);
      places.copyWithin(dimensions, 0, dimensions); // two points at one place
      const pairs = similarities(graphOf(30), 10);
      const [exact, near] = [new Float64Array(places.length), new Float64Array(places.length)];
      gradientOf(pairs, places, dimensions, 1, 0, exact);
      gradientOf(pairs, places, dimensions, 1, 0.5, near);
      const slow = gradientByPairs(pairs, places, dimensions);
      const size = Math.hypot(...slow);
      expect(Math.hypot(...exact.map((v, i) => v - (slow[i] as number))) / size).toBeLessThan(1e-9);
      expect(Math.hypot(...near.map((v, i) => v - (slow[i] as number))) / size).toBeLessThan(0.05);
    },
  );

  it('keeps neighbours as well as scikit-learn', { timeout: 60_000 }, () => {
    const layout = tsne(
      graphOf(30),
      Float64Array.from(expected.components, (v) => v * 1e-4),
      2,
      10,
    );
    for (let i = 0; i < layout.steps; i++) layout.step();
    expect(trustworthiness(layout.places, 2, 10)).toBeGreaterThan(expected.trustworthiness.tsne - 0.03);
  });
});

/** The gradient by its definition: every pair of points. */
function gradientByPairs({ from, to, weights }: Pairs, places: Float64Array, dimensions: number): Float64Array {
  const p = new Map<number, number>();
  weights.forEach((weight, i) => p.set((from[i] as number) * COUNT + (to[i] as number), weight));
  const near = (i: number, j: number): number => {
    let away = 1;
    for (let k = 0; k < dimensions; k++)
      away += ((places[i * dimensions + k] as number) - (places[j * dimensions + k] as number)) ** 2;
    return 1 / away;
  };
  let whole = 0;
  for (let i = 0; i < COUNT; i++) for (let j = 0; j < COUNT; j++) if (i !== j) whole += near(i, j);
  const found = new Float64Array(places.length);
  for (let i = 0; i < COUNT; i++)
    for (let j = 0; j < COUNT; j++) {
      if (i === j) continue;
      const share = near(i, j);
      const rest = (p.get(Math.min(i, j) * COUNT + Math.max(i, j)) ?? 0) - share / whole;
      for (let k = 0; k < dimensions; k++) {
        const at = i * dimensions + k;
        const away = (places[at] as number) - (places[j * dimensions + k] as number);
        found[at] = (found[at] as number) + 4 * rest * share * away;
      }
    }
  return found;
}
