import { batch, computed, effect, signal } from '@preact/signals';
import { codecs, message, Page } from '@insight-host/kit';
import type { Disposer, PluginContext } from '@insight-host/api';
import type { GraphInfo, GraphList, GraphRecord, RecordKey } from './answers';
import { cameraCodec, type Camera } from './camera';
import { opened, record } from './codecs';
import { Explorer } from './explorer';
import { Layouts } from './layouts';
import { patient } from './patient';
import { PipelineSource } from './pipeline';
import { GraphSource, sameRecord, type Source } from './source';

export const SHOWS = ['graph', 'pipeline'] as const;
export type Show = (typeof SHOWS)[number];
export const COLORINGS = ['type', 'scope', 'structure', 'device', 'time'] as const;
export type Coloring = (typeof COLORINGS)[number];
export const TRACES = ['near', 'ancestors', 'descendants', 'both'] as const;
export type Trace = (typeof TRACES)[number];
/** What of a graph is opened, chosen and seen. */
interface Look {
  readonly expanded: readonly string[] | null;
  readonly selected: string | null;
  readonly camera: Camera | null;
}
const UNTOUCHED: Look = { expanded: null, selected: null, camera: null };
const longest = (records: readonly GraphRecord[]): GraphRecord | null =>
  [...records].sort((a, b) => b.size - a.size)[0] ?? null;
const SOURCES = 6; // kept
const SETTLE = 300; // ms without a move before the URL says where the camera is

/** What the graph tab shows, and what the user has set. */
export class GraphBoard extends Page {
  /** null until the first answer. */
  readonly list = signal<GraphList | null>(null);
  readonly listFailure = signal<string | null>(null);

  readonly show = this.setting('show', codecs.choice<Show>(SHOWS, 'graph'));
  private readonly chosenGraph = this.setting('graph', record);
  private readonly chosenPipeline = this.setting('data', record);
  readonly readable = this.setting('readable', codecs.flag(false));
  readonly coloring = this.setting('color', codecs.choice<Coloring>(COLORINGS, 'type'));
  /** What colours say now: a pipeline has types alone. */
  readonly colored = computed<Coloring>(() => (this.show.value === 'graph' ? this.coloring.value : 'type'));
  /** Tag of the profile whose times are shown; of several the first without a word of the user. */
  readonly profile = this.setting('profile', codecs.name);
  readonly expanded = this.setting('open', opened);
  readonly selected = this.setting('node', codecs.name);
  readonly trace = this.setting('trace', codecs.choice<Trace>(TRACES, 'near'));
  /** Texts of edges: types and shapes. */
  readonly texts = this.setting('shapes', codecs.flag(false));
  readonly camera = this.setting('view', cameraCodec, SETTLE);
  readonly screen = this.setting('screen', codecs.flag(false));
  readonly panel = this.setting('panel', codecs.flag(true));
  readonly legend = this.setting('legend', codecs.flag(true));
  /** What the search field says. */
  readonly search = this.setting('q', codecs.text, SETTLE);
  readonly regex = this.setting('regex', codecs.flag(false));
  /** What is asked for in a dialog. */
  readonly dialog = signal<'removed' | 'notices' | null>(null);

  /** Those of selected runs, in the order of the runs. */
  readonly graphs = computed<readonly GraphInfo[]>(() => this.ofRuns(this.list.value?.graphs ?? []));
  readonly pipelines = computed<readonly GraphRecord[]>(() => this.ofRuns(this.list.value?.pipelines ?? []));
  /** That of the newest run, until the user says otherwise. */
  readonly graph = computed<GraphInfo | null>(
    () =>
      this.graphs.value.find((other) => sameRecord(other, this.chosenGraph.value)) ??
      this.ofNewest(this.graphs.value)[0] ??
      null,
  );
  /** The longest record of a run: shorter ones may only state that it has no pipeline. */
  readonly pipeline = computed<GraphRecord | null>(() => {
    const records = this.pipelines.value;
    return records.find((other) => sameRecord(other, this.chosenPipeline.value)) ?? longest(this.ofNewest(records));
  });
  /** Profiles of the run whose graph is shown. */
  readonly profiles = computed<readonly string[]>(() => {
    const { value: graph } = this.graph;
    return [
      ...new Set((this.list.value?.profiles ?? []).filter(({ run }) => run === graph?.run).map(({ tag }) => tag)),
    ];
  });
  /** Asked for where times are shown. */
  private readonly timedBy = computed(() => {
    if (this.coloring.value !== 'time') return null;
    const [first = null] = this.profiles.value;
    return this.profile.value !== null && this.profiles.value.includes(this.profile.value) ? this.profile.value : first;
  });
  private asked = 0; // how often for the list
  private answered = 0; // which of these questions it answers
  private readonly sources = new Map<string, Source>();
  readonly graphSource = computed<GraphSource | null>(() => {
    const { value: graph } = this.graph;
    if (this.show.value !== 'graph' || !graph) return null;
    const wanted = [graph, this.readable.value, this.timedBy.value] as const;
    return this.kept(GraphSource.keyOf(...wanted), () => new GraphSource(this.ctx, ...wanted));
  });
  readonly pipelineSource = computed<PipelineSource | null>(() => {
    const { value: pipeline } = this.pipeline;
    return this.show.value === 'pipeline' && pipeline
      ? this.kept(PipelineSource.keyOf(pipeline), () => new PipelineSource(this.ctx, pipeline))
      : null;
  });
  readonly source = computed<Source | null>(() => this.graphSource.value ?? this.pipelineSource.value);
  /** What is shown, whatever is set; another one has other ids. */
  readonly subject = computed<string | null>(() => {
    const { value: graph } = this.show.value === 'graph' ? this.graph : this.pipeline;
    return graph && [this.show.value, graph.run, graph.tag, graph.index, graph.wall_time].join('\n');
  });

  readonly explorer: Explorer;

  constructor(ctx: PluginContext, layouts: Layouts = new Layouts()) {
    super(ctx);
    this.until(this.followSubject());
    this.explorer = new Explorer(this, layouts);
    this.until(() => this.explorer.dispose());
    // at once, and whenever a graph may have come or gone
    this.until(ctx.changes.subscribe(() => void this.loadList()));
  }

  async loadList(): Promise<void> {
    const mine = ++this.asked;
    try {
      const list = await patient(
        () => this.ctx.data.json<GraphList>('graphs', {}, { signal: this.ctx.signal }),
        this.ctx.signal,
      );
      if (mine < this.answered) return; // a newer one came first
      this.answered = mine;
      this.list.value = list;
      this.listFailure.value = null;
    } catch (error) {
      if (!this.ctx.signal.aborted) this.listFailure.value = message(error);
    }
  }

  open(show: Show, key: RecordKey): void {
    (show === 'graph' ? this.chosenGraph : this.chosenPipeline).set(
      { run: key.run, tag: key.tag, index: key.index },
      'push',
    );
    this.show.set(show);
  }

  /** The other view, of the same run where it has one. */
  turn(show: Show): void {
    const [from, to] =
      show === 'graph' ? [this.pipeline.value, this.graph.value] : [this.graph.value, this.pipeline.value];
    const own = (record: GraphRecord): boolean => record.run === from?.run;
    const found = show === 'graph' ? this.graphs.value.find(own) : longest(this.pipelines.value.filter(own));
    if (found && to?.run !== from?.run) this.open(show, found);
    else this.show.set(show, 'push');
  }

  select(id: string | null): void {
    this.selected.set(id);
    if (id === null) this.trace.set('near');
  }

  /** Each graph keeps what was opened, chosen and looked at in it; an address that says both has the last word. */
  private followSubject(): Disposer {
    const looks = new Map<string, Look>();
    let last: string | null = null;
    let before = '';
    let isWaiting = false;
    const settle = (): void => {
      isWaiting = false;
      const subject = this.subject.peek();
      if (subject === null || this.ctx.signal.aborted) return;
      const look: Look = { expanded: this.expanded.peek(), selected: this.selected.peek(), camera: this.camera.peek() };
      const now = JSON.stringify(look);
      if (last !== null && subject !== last && now === before) this.look(looks.get(subject) ?? UNTOUCHED);
      else {
        looks.set(subject, look);
        if (now !== JSON.stringify(UNTOUCHED)) this.keep();
        before = now;
      }
      last = subject;
    };
    return effect(() => {
      for (const part of [this.subject, this.expanded, this.selected, this.camera]) void part.value;
      if (!isWaiting) queueMicrotask(settle); // an address changes one key after the other
      isWaiting = true;
    });
  }

  private look({ expanded, selected, camera }: Look): void {
    batch(() => {
      this.expanded.set(expanded);
      this.select(selected);
      this.camera.set(camera);
    });
  }

  /** Keeps the current selection when a newer run appears, and in shared links. */
  private keep(): void {
    const { value: record } = this.show.value === 'graph' ? this.graph : this.pipeline;
    const chosen = this.show.value === 'graph' ? this.chosenGraph : this.chosenPipeline;
    if (record && !sameRecord(record, chosen.value))
      chosen.set({ run: record.run, tag: record.tag, index: record.index });
  }

  /** Reuses a source if the list was reloaded or a setting was reverted, with its cached data. */
  private kept<S extends Source>(key: string, make: () => S): S {
    const source = (this.sources.get(key) as S | undefined) ?? make();
    this.sources.delete(key);
    this.sources.set(key, source);
    for (const old of this.sources.keys()) {
      if (this.sources.size <= SOURCES) break;
      this.sources.delete(old);
    }
    return source;
  }

  /** Records of the run that began last. */
  private ofNewest<T extends GraphRecord>(records: readonly T[]): readonly T[] {
    const began = ({ run, wall_time }: T): number => this.runsByName.value.get(run)?.startTime ?? wall_time;
    const newest = records.reduce<T | undefined>(
      (best, record) => (best && began(best) >= began(record) ? best : record),
      undefined,
    );
    return records.filter(({ run }) => run === newest?.run);
  }

  private ofRuns<T extends RecordKey>(records: readonly T[]): readonly T[] {
    const order = new Map(this.runs.value.map((run, i) => [run.name, i]));
    // A stable sort: of a run the first is what to open first.
    return records
      .filter(({ run }) => order.has(run))
      .sort((a, b) => (order.get(a.run) as number) - (order.get(b.run) as number));
  }
}
