import { computed, type ReadonlySignal as Live } from '@preact/signals';
import type { Page } from '@insight-host/kit';
import { PipelineSource } from './pipeline';
import type { Records } from './records';
import { GraphSource, type Source } from './source';

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
