/** The graphs that are there, which of them is shown, and what each is drawn from. */
import type { Codec } from '@insight-host/api';
import { codecs, message, type Page, type Setting } from '@insight-host/kit';
import { computed, effect, signal, type ReadonlySignal as Live } from '@preact/signals';
import type { GraphInfo, GraphList, GraphRecord, RecordKey } from './answers';
import { PipelineSource } from './pipeline';
import { GraphSource, patient, sameRecord, type Source } from './source';

export const SHOWS = ['graph', 'pipeline'] as const;
export type Show = (typeof SHOWS)[number];

const longest = (records: readonly GraphRecord[]): GraphRecord | null =>
  [...records].sort((a, b) => b.size - a.size)[0] ?? null;

/** The graphs and pipelines of runs that match the filter, and which of the run in the run panel is shown. */
export class Records {
  /** null until the first answer. */
  readonly list = signal<GraphList | null>(null);
  readonly failure = signal<string | null>(null);
  readonly show: Setting<Show>;
  private readonly chosenGraph: Setting<RecordKey | null>;
  private readonly chosenPipeline: Setting<RecordKey | null>;
  /** The graph that the shown one is compared with. */
  readonly compared: Setting<RecordKey | null>;
  private asked = 0; // how often for the list
  private answered = 0; // which of these questions it answers

  constructor(private readonly page: Page) {
    this.show = page.setting('show', codecs.choice<Show>(SHOWS, 'graph'));
    this.chosenGraph = page.setting('graph', record);
    this.chosenPipeline = page.setting('data', record);
    this.compared = page.setting('compare', record);
    // the one that is shown has the last word
    const chosen = [this.chosenPipeline, this.chosenGraph];
    for (const one of this.show.value === 'graph' ? chosen : chosen.reverse()) this.showRunOf(one);
    // at once, and whenever a graph may have come or gone
    page.until(page.ctx.changes.subscribe(() => void this.load()));
  }

  async load(): Promise<void> {
    const { data, signal: ended } = this.page.ctx;
    const mine = ++this.asked;
    try {
      const list = await patient(() => data.json<GraphList>('graphs', {}, { signal: ended }), ended);
      if (mine < this.answered) return; // a newer one came first
      this.answered = mine;
      this.list.value = list;
      this.failure.value = null;
    } catch (error) {
      if (!ended.aborted) this.failure.value = message(error);
    }
  }

  /** The run that the run panel chooses, among those with records. */
  private readonly run = computed<string | null>(() => {
    const { graphs = [], pipelines = [], dumps = [] } = this.list.value ?? {};
    const names = new Set([...graphs, ...pipelines, ...dumps].map(({ run }) => run));
    return this.page.oneOf(this.page.runs.value.filter(({ name }) => names.has(name)))?.name ?? null;
  });
  /** Those of runs that match the filter, in the order of the runs: one can be compared with another. */
  readonly graphs = computed<readonly GraphInfo[]>(() => this.ofRuns(this.list.value?.graphs ?? []));
  readonly pipelines = computed<readonly GraphRecord[]>(() => this.ofRuns(this.list.value?.pipelines ?? []));
  readonly dumps = computed<readonly GraphRecord[]>(() => this.ofRuns(this.list.value?.dumps ?? []));
  /** Those of the run in the run panel. */
  readonly ownGraphs = computed(() => this.graphs.value.filter(({ run }) => run === this.run.value));
  readonly ownPipelines = computed(() => this.pipelines.value.filter(({ run }) => run === this.run.value));
  readonly graph = computed<GraphInfo | null>(
    () =>
      this.ownGraphs.value.find((other) => sameRecord(other, this.chosenGraph.value)) ??
      this.ownGraphs.value[0] ??
      null,
  );
  /** The longest record of a run: shorter ones may only state that it has no pipeline. */
  readonly pipeline = computed<GraphRecord | null>(() => {
    const records = this.ownPipelines.value;
    return records.find((other) => sameRecord(other, this.chosenPipeline.value)) ?? longest(records);
  });
  /** Profiles of the run whose graph is shown. */
  readonly profiles = computed<readonly string[]>(() => {
    const { value: graph } = this.graph;
    return [
      ...new Set((this.list.value?.profiles ?? []).filter(({ run }) => run === graph?.run).map(({ tag }) => tag)),
    ];
  });
  /** What is shown, whatever is set; another one has other ids. */
  readonly subject = computed<string | null>(() => {
    const { value: graph } = this.show.value === 'graph' ? this.graph : this.pipeline;
    return graph && [this.show.value, graph.run, graph.tag, graph.index, graph.wall_time].join('\n');
  });

  open(show: Show, key: RecordKey): void {
    (show === 'graph' ? this.chosenGraph : this.chosenPipeline).set(
      { run: key.run, tag: key.tag, index: key.index },
      'push',
    );
    this.show.set(show);
  }

  /** The other view of the run. */
  turn(show: Show): void {
    this.show.set(show, 'push');
  }

  /** Keeps the current selection when a newer run appears, and in shared links. */
  keep(): void {
    const { value: record } = this.show.value === 'graph' ? this.graph : this.pipeline;
    const chosen = this.show.value === 'graph' ? this.chosenGraph : this.chosenPipeline;
    if (record && !sameRecord(record, chosen.value))
      chosen.set({ run: record.run, tag: record.tag, index: record.index });
  }

  /** A link and a dialog name a record of a run, which is shown then; the choice of another run ends that. */
  private showRunOf(chosen: Setting<RecordKey | null>): void {
    let before: RecordKey | null = null;
    this.page.until(
      effect(() => {
        const [key, run] = [chosen.value, this.run.value];
        const isNew = !sameRecord(key, before);
        before = key;
        if (!key) return;
        if (isNew) this.page.ctx.runs.one.set(key.run);
        else if (run !== null && key.run !== run && this.page.runs.value.some(({ name }) => name === key.run))
          chosen.set(null);
      }),
    );
  }

  private ofRuns<T extends RecordKey>(records: readonly T[]): readonly T[] {
    const order = new Map(this.page.runs.value.map((run, i) => [run.name, i]));
    // A stable sort: of a run the first is what to open first.
    return records
      .filter(({ run }) => order.has(run))
      .sort((a, b) => (order.get(a.run) as number) - (order.get(b.run) as number));
  }
}

/** A record, as `run;tag;index`; without the index it is the first. */
export const record: Codec<RecordKey | null> = {
  parse(text) {
    const [run, tag, index = '0'] = codecs.names.parse(text);
    return run !== undefined && tag !== undefined && /^\d{1,9}$/.test(index)
      ? { run, tag, index: Number(index) }
      : null;
  },
  format: (value) =>
    value && codecs.names.format([value.run, value.tag, ...(value.index > 0 ? [String(value.index)] : [])]),
};

/**
 * Ids of opened scopes in the order in which they were opened; null while the user has said nothing. A list of none is
 * a lone `~`.
 */
export const opened: Codec<readonly string[] | null> = {
  parse: (text) => (text === null ? null : codecs.names.parse(text).filter((id) => id !== '')),
  format: (value) => value && (codecs.names.format(value) ?? '~'),
};

const SOURCES = 6; // kept

/** What the record in front is read from: its scopes, asked for once and kept. */
export class Sources {
  private readonly sources = new Map<string, Source>();

  /** `timedBy`: tag of the profile whose times are asked for. */
  constructor(
    private readonly page: Page,
    private readonly records: Records,
    private readonly readable: Live<boolean>,
    private readonly timedBy: Live<string | null>,
  ) {}

  readonly graph = computed<GraphSource | null>(() => {
    const { graph, show } = this.records;
    if (show.value !== 'graph' || !graph.value) return null;
    const wanted = [graph.value, this.readable.value, this.timedBy.value] as const;
    return this.kept(GraphSource.keyOf(...wanted), () => new GraphSource(this.page.ctx, ...wanted));
  });
  readonly pipeline = computed<PipelineSource | null>(() => {
    const { value: pipeline } = this.records.pipeline;
    return this.records.show.value === 'pipeline' && pipeline
      ? this.kept(PipelineSource.keyOf(pipeline), () => new PipelineSource(this.page.ctx, pipeline))
      : null;
  });
  readonly current = computed<Source | null>(() => this.graph.value ?? this.pipeline.value);

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
}
