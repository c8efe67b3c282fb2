import { computed, signal } from '@preact/signals';
import { codecs, message, type Page, type Setting } from '@insight-host/kit';
import type { GraphInfo, GraphList, GraphRecord, RecordKey } from './answers';
import { record } from './codecs';
import { patient } from './patient';
import { sameRecord } from './source';

export const SHOWS = ['graph', 'pipeline'] as const;
export type Show = (typeof SHOWS)[number];

const longest = (records: readonly GraphRecord[]): GraphRecord | null =>
  [...records].sort((a, b) => b.size - a.size)[0] ?? null;

/** The graphs and pipelines of the selected runs, and which of them is shown. */
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

  /** Those of selected runs, in the order of the runs. */
  readonly graphs = computed<readonly GraphInfo[]>(() => this.ofRuns(this.list.value?.graphs ?? []));
  readonly pipelines = computed<readonly GraphRecord[]>(() => this.ofRuns(this.list.value?.pipelines ?? []));
  readonly dumps = computed<readonly GraphRecord[]>(() => this.ofRuns(this.list.value?.dumps ?? []));
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

  /** The other view, of the same run where it has one. */
  turn(show: Show): void {
    const [from, to] =
      show === 'graph' ? [this.pipeline.value, this.graph.value] : [this.graph.value, this.pipeline.value];
    const own = (record: GraphRecord): boolean => record.run === from?.run;
    const found = show === 'graph' ? this.graphs.value.find(own) : longest(this.pipelines.value.filter(own));
    if (found && to?.run !== from?.run) this.open(show, found);
    else this.show.set(show, 'push');
  }

  /** Keeps the current selection when a newer run appears, and in shared links. */
  keep(): void {
    const { value: record } = this.show.value === 'graph' ? this.graph : this.pipeline;
    const chosen = this.show.value === 'graph' ? this.chosenGraph : this.chosenPipeline;
    if (record && !sameRecord(record, chosen.value))
      chosen.set({ run: record.run, tag: record.tag, index: record.index });
  }

  /** Records of the run that began last. */
  private ofNewest<T extends GraphRecord>(records: readonly T[]): readonly T[] {
    const began = ({ run, wall_time }: T): number => this.page.runsByName.value.get(run)?.startTime ?? wall_time;
    const newest = records.reduce<T | undefined>(
      (best, record) => (best && began(best) >= began(record) ? best : record),
      undefined,
    );
    return records.filter(({ run }) => run === newest?.run);
  }

  private ofRuns<T extends RecordKey>(records: readonly T[]): readonly T[] {
    const order = new Map(this.page.runs.value.map((run, i) => [run.name, i]));
    // A stable sort: of a run the first is what to open first.
    return records
      .filter(({ run }) => order.has(run))
      .sort((a, b) => (order.get(a.run) as number) - (order.get(b.run) as number));
  }
}
