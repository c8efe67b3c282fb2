/**
 * t-SNE (van der Maaten and Hinton 2008) with the forces between distant points approximated by a tree (Barnes-Hut-SNE,
 * van der Maaten 2013, arXiv:1301.3342). Constants are those of scikit-learn.
 */
import { joined, type Graph, type Layout, type Pairs } from './graph';
import { SpaceTree } from './space_tree';

const STEPS = 1000;
const EXAGGERATED = 250; // steps in which similar points are drawn together more strongly
const EXAGGERATION = 12;
const ANGLE = 0.5; // size of a cell over its distance, below which its points count as one
const SLOWEST = 50; // learning rate
const BISECTIONS = 100;
const TOLERANCE = 1e-5;
const SMALLEST_GAIN = 0.01;

/** How similar points are: probabilities of pairs that sum up to 1/2, each pair being there once. */
export function similarities(graph: Graph, perplexity: number): Pairs {
  const { count, neighbours, distances } = graph;
  const target = Math.log(Math.min(perplexity, neighbours));
  const directed = new Float64Array(distances.length);
  for (let i = 0; i < count; i++) {
    const first = i * neighbours;
    const nearest = (distances[first] as number) ** 2;
    let [low, high, beta] = [0, Infinity, 1];
    for (let n = 0; n < BISECTIONS; n++) {
      let [sum, weighted] = [0, 0];
      for (let k = 0; k < neighbours; k++) {
        const distance = (distances[first + k] as number) ** 2 - nearest; // the nearest one does not vanish
        const share = Math.exp(-beta * distance);
        directed[first + k] = share;
        sum += share;
        weighted += share * distance;
      }
      for (let k = 0; k < neighbours; k++) directed[first + k] = (directed[first + k] as number) / sum;
      const rest = Math.log(sum) + (beta * weighted) / sum - target; // of the entropy
      if (Math.abs(rest) <= TOLERANCE) break;
      if (rest > 0) {
        low = beta;
        beta = high === Infinity ? beta * 2 : (low + high) / 2;
      } else {
        high = beta;
        beta = (low + high) / 2;
      }
    }
  }
  return joined(graph, directed, (one, other) => (one + other) / (2 * count));
}

/** The gradient of the Kullback-Leibler divergence, into `gradient`. `angle` 0 is exact. */
export function gradientOf(
  { from, to, weights }: Pairs,
  places: Float64Array,
  dimensions: number,
  exaggeration: number,
  angle: number,
  gradient: Float64Array,
): void {
  const count = places.length / dimensions;
  const tree = new SpaceTree(places, dimensions);
  const force = new Float64Array(dimensions);
  gradient.fill(0);
  let whole = 0;
  for (let i = 0; i < count; i++) {
    force.fill(0);
    whole += tree.repulsion(i, angle, force);
    for (let k = 0; k < dimensions; k++) gradient[i * dimensions + k] = force[k] as number;
  }
  for (let i = 0; i < gradient.length; i++) gradient[i] = (-4 * (gradient[i] as number)) / whole;
  for (let pair = 0; pair < weights.length; pair++) {
    const [one, other] = [(from[pair] as number) * dimensions, (to[pair] as number) * dimensions];
    let distance = 1;
    for (let k = 0; k < dimensions; k++) distance += ((places[one + k] as number) - (places[other + k] as number)) ** 2;
    const strength = (4 * exaggeration * (weights[pair] as number)) / distance;
    for (let k = 0; k < dimensions; k++) {
      const pull = strength * ((places[one + k] as number) - (places[other + k] as number));
      gradient[one + k] = (gradient[one + k] as number) + pull;
      gradient[other + k] = (gradient[other + k] as number) - pull;
    }
  }
}

/** `places`: where points begin, `dimensions` numbers each. */
export function tsne(graph: Graph, places: Float64Array, dimensions: number, perplexity: number): Layout {
  const pairs = similarities(graph, perplexity);
  const rate = Math.max(graph.count / EXAGGERATION / 4, SLOWEST);
  const gradient = new Float64Array(places.length);
  const speed = new Float64Array(places.length);
  const gains = new Float64Array(places.length).fill(1);
  let done = 0;
  return {
    places,
    steps: STEPS,
    step() {
      const isEarly = done++ < EXAGGERATED;
      gradientOf(pairs, places, dimensions, isEarly ? EXAGGERATION : 1, ANGLE, gradient);
      for (let i = 0; i < places.length; i++) {
        const [force, before] = [gradient[i] as number, speed[i] as number];
        const gain = gains[i] as number;
        const next = Math.max(SMALLEST_GAIN, force * before < 0 ? gain + 0.2 : gain * 0.8);
        gains[i] = next;
        speed[i] = (isEarly ? 0.5 : 0.8) * before - rate * next * force;
        places[i] = (places[i] as number) + (speed[i] as number);
      }
    },
  };
}
