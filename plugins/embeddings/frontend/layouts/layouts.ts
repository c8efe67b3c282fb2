/** Where points are: along components, or as t-SNE or UMAP has laid them out so far. */
import type { Page } from '@insight-host/kit';
import { Latest, RequestQueue } from '@insight-host/kit/lab';
import { computed, effect, signal, type ReadonlySignal as Live } from '@preact/signals';
import { marked, type Metric, type Place, type Points } from '../source';
import type { FromWorker, Graph, Start, ToWorker } from './graph';

const CORE = 0.99; // of the points are within 1 of the middle; the rest may be far out

/** Where points are in the scene. `finite` is 0 for points that are nowhere. */
export interface Positions {
  /** x, y and z of one point after the other. */
  readonly values: Float32Array;
  readonly finite: Uint8Array;
}

/** Points by three of their components, the third 0 if it is null or missing. */
export function alongComponents(points: Points, axes: readonly [number, number, number | null]): Positions {
  const columns = axes.map((axis) =>
    axis !== null && axis < points.components
      ? points.coordinates.subarray(axis * points.points, (axis + 1) * points.points)
      : null,
  );
  return scaled(columns, points.points, points.coordinates.subarray(0, points.points));
}

/** Columns around their middle, so that most points are within 1 of it. */
export function scaled(
  columns: readonly (Float32Array | null)[],
  count: number,
  known: Float32Array | null = null,
): Positions {
  const finite = new Uint8Array(count);
  for (let i = 0; i < count; i++) finite[i] = known && Number.isNaN(known[i]) ? 0 : 1;
  const values = new Float32Array(3 * count);
  columns.forEach((column, axis) => {
    if (!column) return;
    let [sum, size] = [0, 0];
    for (let i = 0; i < count; i++)
      if (finite[i]) {
        sum += column[i] as number;
        size++;
      }
    const middle = sum / Math.max(1, size);
    for (let i = 0; i < count; i++) if (finite[i]) values[3 * i + axis] = (column[i] as number) - middle;
  });
  const radii = new Float32Array(count);
  for (let i = 0; i < count; i++)
    radii[i] = Math.hypot(values[3 * i] as number, values[3 * i + 1] as number, values[3 * i + 2] as number);
  radii.sort();
  const farthest = radii[count - 1] ?? 0;
  const unit = Math.max(radii[Math.floor(CORE * (count - 1))] ?? 0, farthest / 4) || 1;
  for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) / unit;
  return { values, finite };
}

export type Method = 'pca' | 'umap' | 'tsne';

/** A graph of the points with these numbers. */
interface Sampled extends Graph {
  readonly points: Int32Array;
}
interface Wishes {
  readonly method: Live<Method>;
  readonly place: Live<Place | null>;
  readonly points: Live<Points | null>;
  readonly metric: Live<Metric>;
  readonly dimensions: Live<2 | 3>;
  readonly neighbours: Live<number>;
  readonly minDist: Live<number>;
  readonly perplexity: Live<number>;
}

const PER_PERPLEXITY = 3; // neighbours that t-SNE looks at for each unit of perplexity

/** Layouts that a worker computes from the neighbours of points: begun when they are wanted, and again on demand. */
export class Layouts {
  private readonly latest = new Latest<Sampled>(new RequestQueue(1));
  private readonly told = signal<FromWorker | null>(null);
  readonly running = signal(true);
  private readonly again = signal(0);
  private worker: Worker | null = null;

  constructor(
    private readonly page: Page,
    private readonly wishes: Wishes,
  ) {
    page.until(effect(() => this.ask()));
    page.until(effect(() => this.start()));
    page.until(effect(() => this.send({ runs: this.running.value && page.visible.value })));
    page.until(() => {
      this.latest.rest();
      this.end();
    });
  }

  private readonly key = computed<string | null>(() => {
    const { method, place, metric, neighbours, perplexity } = this.wishes;
    const { value: at } = place;
    if (method.value === 'pca' || !at || at.entry.problem) return null;
    const count = method.value === 'umap' ? neighbours.value - 1 : Math.round(PER_PERPLEXITY * perplexity.value);
    return JSON.stringify([at.run, at.entry.name, at.entry.version, metric.value, count]);
  });
  private readonly graph = computed(() => {
    const answer = this.latest.answer.value;
    return answer && answer.key === this.key.value ? answer.value : null;
  });
  readonly error = computed(() => {
    const failure = this.latest.error.value;
    return failure && failure.key === this.key.value ? failure.reason : null;
  });
  /** The graph of neighbours is under way. */
  readonly isComing = computed(() => this.key.value !== null && !this.graph.value && !this.error.value);
  readonly progress = computed(() => {
    const { value: told } = this.told;
    return told && this.graph.value ? { done: told.done, steps: told.steps } : null;
  });
  /** How many points are laid out. */
  readonly count = computed(() => this.graph.value?.points.length ?? 0);

  /** Where points are; null until the worker says so. */
  readonly positions = computed<Positions | null>(() => {
    const [told, graph, points] = [this.told.value, this.graph.value, this.wishes.points.value];
    const dimensions = this.wishes.dimensions.value;
    if (!told || !graph || !points || told.places.length !== graph.points.length * dimensions) return null;
    const columns = Array.from({ length: dimensions }, () => new Float32Array(points.points).fill(NaN));
    graph.points.forEach((point, i) =>
      columns.forEach((column, k) => (column[point] = told.places[i * dimensions + k] as number)),
    );
    return { ...scaled(columns, points.points, columns[0]), finite: this.laidOut.value };
  });
  /** The same for all steps: what depends on it need not be made again. */
  private readonly laidOut = computed(() =>
    marked(this.graph.value?.points ?? [], this.wishes.points.value?.points ?? 0),
  );

  restart(): void {
    this.running.value = true;
    this.again.value++;
  }

  retry(): void {
    this.latest.retry();
  }

  private ask(): void {
    const [key, place] = [this.key.value, this.wishes.place.value];
    if (!key || !place || !this.page.visible.value) return;
    const [, , , metric, count] = JSON.parse(key) as [string, string, string, Metric, number];
    const query = { run: place.run, name: place.entry.name, metric, count, format: 'safetensors' };
    this.latest.want(key, async (stop) => {
      const columns = await this.page.ctx.data.columns('graph', query, { signal: stop });
      const points = columns.column('points') as Int32Array;
      const { neighbours } = JSON.parse(columns.metadata['graph'] ?? '{}') as { neighbours: number };
      return {
        points,
        count: points.length,
        neighbours,
        indices: columns.column('indices') as Int32Array,
        distances: columns.column('distances') as Float32Array,
      };
    });
  }

  /** A worker for what is wanted; another wish, and it is ended. */
  private start(): void {
    const { method, points, dimensions, minDist, perplexity } = this.wishes;
    const [graph, { value: known }] = [this.graph.value, points];
    const wish = [method.value, dimensions.value, minDist.value, perplexity.value, this.again.value] as const;
    this.end();
    const [wanted, axes, least, perplex] = wish;
    if (!graph || !known || wanted === 'pca') return;
    const begin = new Float32Array(graph.count * axes);
    graph.points.forEach((point, i) => {
      for (let k = 0; k < Math.min(axes, known.components); k++)
        begin[i * axes + k] = known.coordinates[k * known.points + point] as number;
    });
    const start: Start = {
      count: graph.count,
      neighbours: graph.neighbours,
      indices: graph.indices,
      distances: graph.distances,
      method: wanted,
      dimensions: axes,
      begin,
      minDist: least,
      perplexity: perplex,
    };
    this.worker = new Worker(new URL('./layout_worker', import.meta.url), {
      type: 'module',
      name: 'embedding-layout',
    });
    this.worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => (this.told.value = data));
    this.send({ start });
    this.send({ runs: this.running.peek() && this.page.visible.peek() });
  }

  private send(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = null;
    this.told.value = null;
  }
}
