/**
 * UMAP (McInnes, Healy and Melville 2018, arXiv:1802.03426), from the neighbours of points on. Names and constants are
 * those of the paper and of umap-learn.
 */
import { joined, random, type Graph, type Layout, type Pairs } from './graph';

const TOLERANCE = 1e-5;
const BISECTIONS = 64;
const SMALLEST_SHARE = 1e-3; // of the mean distance: sigma is at least that
const NEGATIVES = 5; // random points that each pair is pushed away from
const CLIP = 4; // largest move along an axis
const MANY = 10_000; // points from which on fewer steps are made

/** The fuzzy simplicial set: how sure it is that two points are neighbours. */
export function fuzzySet(graph: Graph): Pairs {
  const { count, neighbours, distances } = graph;
  const target = Math.log2(neighbours + 1); // umap-learn counts a point as a neighbour of itself
  const strengths = new Float64Array(distances.length);
  let whole = 0;
  for (const distance of distances) whole += distance;
  const mean = whole / (count * (neighbours + 1));
  for (let i = 0; i < count; i++) {
    const row = distances.subarray(i * neighbours, (i + 1) * neighbours);
    const rho = row.find((distance) => distance > 0) ?? 0;
    let [low, high, sigma] = [0, Infinity, 1];
    for (let n = 0; n < BISECTIONS; n++) {
      let sum = 0;
      for (const distance of row) sum += distance > rho ? Math.exp(-(distance - rho) / sigma) : 1;
      if (Math.abs(sum - target) < TOLERANCE) break;
      if (sum > target) {
        high = sigma;
        sigma = (low + high) / 2;
      } else {
        low = sigma;
        sigma = high === Infinity ? sigma * 2 : (low + high) / 2;
      }
    }
    const own = row.reduce((sum, distance) => sum + distance, 0) / (neighbours + 1);
    sigma = Math.max(sigma, SMALLEST_SHARE * (rho > 0 ? own : mean));
    row.forEach((distance, k) => {
      const isSure = distance <= rho || sigma === 0;
      strengths[i * neighbours + k] = isSure ? 1 : Math.exp(-(distance - rho) / sigma);
    });
  }
  return joined(graph, strengths, (one, other) => one + other - one * other);
}

/**
 * a and b of 1 / (1 + a d^(2b)), which comes nearest to a curve that is 1 up to `minDist` and then falls off
 * exponentially: least squares by Gauss and Newton with damping (Levenberg 1944).
 */
export function curveOf(minDist: number): readonly [a: number, b: number] {
  const xs = Array.from({ length: 299 }, (_, i) => (3 * (i + 1)) / 299);
  const ys = xs.map((x) => (x < minDist ? 1 : Math.exp(minDist - x)));
  const loss = (a: number, b: number): number =>
    xs.reduce((sum, x, i) => sum + (1 / (1 + a * x ** (2 * b)) - (ys[i] as number)) ** 2, 0);
  let [a, b, damping] = [1, 1, 1e-3];
  for (let n = 0; n < 200; n++) {
    let [aa, ab, bb, ga, gb] = [0, 0, 0, 0, 0];
    xs.forEach((x, i) => {
      const power = x ** (2 * b);
      const value = 1 / (1 + a * power);
      const [da, db] = [-power * value ** 2, -2 * a * power * Math.log(x) * value ** 2];
      const rest = value - (ys[i] as number);
      aa += da * da;
      ab += da * db;
      bb += db * db;
      ga += da * rest;
      gb += db * rest;
    });
    const [p, q] = [aa * (1 + damping), bb * (1 + damping)];
    const size = p * q - ab * ab;
    const [nextA, nextB] = [a - (q * ga - ab * gb) / size, b - (p * gb - ab * ga) / size];
    if (nextA > 0 && loss(nextA, nextB) <= loss(a, b)) {
      const moved = Math.abs(nextA - a) + Math.abs(nextB - b);
      [a, b, damping] = [nextA, nextB, damping / 3];
      if (moved < 1e-9) break;
    } else damping *= 5;
  }
  return [a, b];
}

/** `places`: where points begin, `dimensions` numbers each. */
export function umap(graph: Graph, places: Float64Array, dimensions: number, minDist: number): Layout {
  const [a, b] = curveOf(minDist);
  const pairs = fuzzySet(graph);
  const steps = graph.count <= MANY ? 500 : 200;
  const strongest = pairs.weights.reduce((most, weight) => Math.max(most, weight), 0);
  const kept = [...pairs.weights.keys()].filter((i) => (pairs.weights[i] as number) >= strongest / steps);
  // both directions, as in umap-learn: either end has its own random points
  const heads = Int32Array.from([
    ...kept.map((i) => pairs.from[i] as number),
    ...kept.map((i) => pairs.to[i] as number),
  ]);
  const tails = Int32Array.from([
    ...kept.map((i) => pairs.to[i] as number),
    ...kept.map((i) => pairs.from[i] as number),
  ]);
  const every = Float64Array.from(
    heads,
    (_, i) => strongest / (pairs.weights[kept[i % kept.length] as number] as number),
  );
  const next = every.slice();
  const draw = random(42);
  let done = 0;
  return {
    places,
    steps,
    step() {
      const speed = 1 - done / steps;
      done++;
      for (let edge = 0; edge < heads.length; edge++) {
        if ((next[edge] as number) > done) continue;
        next[edge] = (next[edge] as number) + (every[edge] as number);
        const head = (heads[edge] as number) * dimensions;
        const tail = (tails[edge] as number) * dimensions;
        pull(places, head, tail, dimensions, a, b, speed);
        for (let n = 0; n < NEGATIVES; n++) {
          const other = Math.floor(draw() * graph.count) * dimensions;
          if (other !== head) push(places, head, other, dimensions, a, b, speed);
        }
      }
    },
  };
}

const clipped = (value: number): number => (value > CLIP ? CLIP : value < -CLIP ? -CLIP : value);

function squared(places: Float64Array, one: number, other: number, dimensions: number): number {
  let sum = 0;
  for (let k = 0; k < dimensions; k++) {
    const away = (places[one + k] as number) - (places[other + k] as number);
    sum += away * away;
  }
  return sum;
}

function pull(
  p: Float64Array,
  one: number,
  other: number,
  dimensions: number,
  a: number,
  b: number,
  speed: number,
): void {
  const distance = squared(p, one, other, dimensions);
  if (distance === 0) return;
  const power = distance ** (b - 1);
  const strength = (-2 * a * b * power) / (1 + a * power * distance);
  for (let k = 0; k < dimensions; k++) {
    const move = clipped(strength * ((p[one + k] as number) - (p[other + k] as number))) * speed;
    p[one + k] = (p[one + k] as number) + move;
    p[other + k] = (p[other + k] as number) - move;
  }
}

function push(
  p: Float64Array,
  one: number,
  other: number,
  dimensions: number,
  a: number,
  b: number,
  speed: number,
): void {
  const distance = squared(p, one, other, dimensions);
  const strength = distance > 0 ? (2 * b) / ((0.001 + distance) * (1 + a * distance ** b)) : 0;
  for (let k = 0; k < dimensions; k++) {
    const move = strength > 0 ? clipped(strength * ((p[one + k] as number) - (p[other + k] as number))) : 0;
    p[one + k] = (p[one + k] as number) + move * speed;
  }
}
