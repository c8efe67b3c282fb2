/** What the routes of the plugin answer, how it is asked for, and which points match a text. */
import type { Columns, Reason } from '@insight-host/api';
import type { Page } from '@insight-host/kit';
import { Latest, RequestQueue } from '@insight-host/kit/lab';
import type { RunLists } from '@insight-host/kit/lists';
import { computed, effect, signal, type ReadonlySignal as Live } from '@preact/signals';

export interface Listed {
  /** Unique in its run. */
  readonly name: string;
  /** The name without the step. */
  readonly group: string;
  readonly step: number | null;
  readonly file: string;
  /** Another text whenever a file of the embedding changes. */
  readonly version: string;
  readonly has_metadata: boolean;
  readonly picture_size: readonly [width: number, height: number] | null;
  readonly problem: Reason | null;
  readonly missing: readonly Reason[];
}
export interface RunEmbeddings {
  readonly run: string;
  readonly embeddings: readonly Listed[];
  readonly errors: readonly Reason[];
}
/** Which embeddings the selected runs have. */
export type Lists = RunLists<RunEmbeddings>;

/** Points along their principal components. */
export interface Points {
  readonly points: number;
  readonly dimensions: number;
  readonly components: number;
  /** Parts of the whole variance, by component. */
  readonly shares: readonly number[];
  /** Points with a NaN or infinity. */
  readonly not_finite: number;
  /** Component after component; NaN for points that are not finite. */
  readonly coordinates: Float32Array;
}

function pointsOf(columns: Columns): Points {
  const described = JSON.parse(columns.metadata['points'] ?? '{}') as Omit<Points, 'coordinates'>;
  return { ...described, coordinates: columns.column('coordinates') as Float32Array };
}

/** One column of the metadata: the label of point i is `labels[codes[i]]`. */
export interface Column {
  readonly name: string;
  readonly labels: readonly string[];
  readonly codes: readonly number[];
  readonly is_number: boolean;
}

interface Neighbours {
  readonly points: readonly number[];
  readonly distances: readonly number[];
}

export type Metric = 'cosine' | 'euclidean';

/** Names one embedding as it is now. */
export interface Place {
  readonly run: string;
  readonly entry: Listed;
}

interface Wishes {
  readonly place: Live<Place | null>;
  readonly unitLength: Live<boolean>;
  readonly point: Live<number | null>;
  readonly metric: Live<Metric>;
  readonly count: Live<number>;
}

/** What is known of the embedding that is shown; the old answer stays until the new one is there. */
export class Source {
  private readonly queue = new RequestQueue(3);
  private readonly latestPoints = new Latest<Points>(this.queue);
  private readonly latestColumns = new Latest<readonly Column[]>(this.queue);
  private readonly latestNeighbours = new Latest<Neighbours>(this.queue);
  /** The picture with those of all points; null without one, or until it is there. */
  readonly sprite = signal<HTMLImageElement | null>(null);
  readonly spriteError = signal(false);

  constructor(
    private readonly page: Page,
    private readonly wishes: Wishes,
  ) {
    page.until(effect(() => this.ask()));
    page.until(effect(() => this.askNeighbours()));
    page.until(effect(() => this.loadSprite()));
    for (const latest of [this.latestPoints, this.latestColumns, this.latestNeighbours])
      page.until(() => latest.rest());
  }

  private readonly key = computed(() => {
    const place = this.wishes.place.value;
    return place && JSON.stringify([place.run, place.entry.name, place.entry.version]);
  });
  private readonly pointsKey = computed(() => this.key.value && `${this.key.value} ${this.wishes.unitLength.value}`);
  private readonly neighboursKey = computed(() => {
    const { point, metric, count } = this.wishes;
    return this.key.value && point.value !== null
      ? `${this.key.value} ${point.value} ${metric.value} ${count.value}`
      : null;
  });

  readonly points = computed(() => this.latestPoints.answer.value?.value ?? null);
  /** Whether `points` are those that are wanted. */
  readonly isFresh = computed(() => this.latestPoints.answer.value?.key === this.pointsKey.value);
  readonly error = computed(() => {
    const failure = this.latestPoints.error.value;
    return failure && failure.key === this.pointsKey.value ? failure.reason : null;
  });
  /** None while those of another embedding are all there is. */
  readonly columns = computed<readonly Column[]>(() => {
    const [answer, points] = [this.latestColumns.answer.value, this.points.value];
    if (!answer || !points) return [];
    return answer.value.every(({ codes }) => codes.length === points.points) ? answer.value : [];
  });
  readonly columnsError = computed(() => {
    const failure = this.latestColumns.error.value;
    return failure && failure.key === this.key.value ? failure.reason : null;
  });
  readonly neighbours = computed<Neighbours | null>(() => {
    const answer = this.latestNeighbours.answer.value;
    return answer && answer.key === this.neighboursKey.value ? answer.value : null;
  });
  readonly neighboursError = computed(() => {
    const failure = this.latestNeighbours.error.value;
    return failure && failure.key === this.neighboursKey.value ? failure.reason : null;
  });

  retry(): void {
    for (const latest of [this.latestPoints, this.latestColumns, this.latestNeighbours]) latest.retry();
  }

  private ask(): void {
    const [place, key, pointsKey] = [this.wishes.place.value, this.key.value, this.pointsKey.value];
    if (!place || !key || !pointsKey || place.entry.problem || !this.page.visible.value) return;
    const { data } = this.page.ctx;
    const named = { run: place.run, name: place.entry.name };
    const query = { ...named, unit_length: this.wishes.unitLength.value ? 1 : 0, format: 'safetensors' };
    this.latestPoints.want(pointsKey, async (stop) => pointsOf(await data.columns('points', query, { signal: stop })));
    this.latestColumns.want(key, async (stop) => {
      if (!place.entry.has_metadata) return [];
      const found = await data.json<{ readonly columns: readonly Column[] }>('metadata', named, { signal: stop });
      return found.columns;
    });
  }

  private askNeighbours(): void {
    const [place, key] = [this.wishes.place.value, this.neighboursKey.value];
    const { point, metric, count } = this.wishes;
    if (!place || !key || point.value === null || place.entry.problem || !this.page.visible.value) return;
    const query = {
      run: place.run,
      name: place.entry.name,
      point: point.value,
      metric: metric.value,
      count: count.value,
    };
    this.latestNeighbours.want(key, (stop) =>
      this.page.ctx.data.json<Neighbours>('neighbours', query, { signal: stop }),
    );
  }

  private loadSprite(): void {
    const [place, key] = [this.wishes.place.value, this.key.value];
    this.sprite.value = null;
    this.spriteError.value = false;
    if (!place?.entry.picture_size || !key) return;
    const picture = new Image();
    const { run, entry } = place;
    picture.src = this.page.ctx.data.href('sprite', { run, name: entry.name, version: entry.version });
    picture.decode().then(
      () => this.key.peek() === key && (this.sprite.value = picture),
      () => this.key.peek() === key && (this.spriteError.value = true),
    );
  }
}

/** The points whose label in a column contains a text, in whatever case; null for no text. */
export function matchesOf(column: Column | null, text: string): Uint32Array | null {
  const wanted = text.trim().toLocaleLowerCase();
  if (!column || wanted === '') return null;
  const matching = column.labels.map((label) => label.toLocaleLowerCase().includes(wanted));
  const found: number[] = [];
  column.codes.forEach((code, i) => matching[code] && found.push(i));
  return Uint32Array.from(found);
}

/** 1 for the members of a set of points. */
export function marked(points: Iterable<number>, count: number): Uint8Array {
  const found = new Uint8Array(count);
  for (const point of points) if (point < count) found[point] = 1;
  return found;
}
