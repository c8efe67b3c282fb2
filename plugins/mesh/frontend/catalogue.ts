import { computed, effect, signal, type ReadonlySignal as Live } from '@preact/signals';
import type { TagCatalogue, TagInfo, TagTable } from '@insight-host/api';
import { message, type Page } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';

const REST = 5_000; // ms between two looks for new tensors

/** The name of a shape by the tag of its points; null for other parts. Writers name the parts of a shape alike. */
export function titleOf(tag: string): string | null {
  // torch and TensorFlow: shape_VERTEX, with a number if TensorFlow had the name already; tensorboardX: shape_1
  const found = /^(.*)_VERTEX((?:_\d+)?)$/s.exec(tag) ?? /^(.*)_1()$/s.exec(tag);
  return found && found[1] ? `${found[1]}${found[2]}` : null;
}

/** The tag of the points that a part belongs to; null for points. */
function pointsOf(tag: string): string | null {
  const [, name = '', suffix = ''] = /^(.*)_(?:FACE|COLOR)((?:_\d+)?)$/s.exec(tag) ?? [];
  if (name) return `${name}_VERTEX${suffix}`;
  const [, numbered = ''] = /^(.*)_[23]$/s.exec(tag) ?? [];
  return numbered ? `${numbered}_1` : null;
}

/** Tags without those of parts whose points are there too. */
export function withoutParts(tags: readonly string[]): readonly string[] {
  const all = new Set(tags);
  return tags.filter((tag) => {
    const points = pointsOf(tag);
    return points === null || !all.has(points);
  });
}

/** Whose series plain tensors are. */
export const PLAIN = 'tensor';
const CLOUD: TagInfo = { attempts: 1, claims: [], plugin: PLAIN };
const NONE: readonly string[] = [];

type CloudsByRun = Readonly<Record<string, readonly string[]>>;

/** The series that have a card: shapes by their points and, `withClouds`, plain tensors of points. */
export function shapeTable(own: TagTable, clouds: CloudsByRun, withClouds: boolean): TagTable {
  const lists = new Map<readonly string[], readonly string[]>(); // runs with equal tags share one list
  const shapes = (run: string): readonly string[] => {
    const tags = own.tagsOf(run);
    let shown = lists.get(tags);
    if (!shown) lists.set(tags, (shown = withoutParts(tags)));
    return shown;
  };
  const both = new Map<string, readonly string[]>();
  if (withClouds)
    for (const [run, tags] of Object.entries(clouds)) both.set(run, [...new Set([...shapes(run), ...tags])]);
  return {
    runs: [...new Set([...own.runs, ...both.keys()])],
    tagsOf: (run) => both.get(run) ?? shapes(run),
    infoOf: (run, tag) => own.infoOf(run, tag) ?? (both.get(run)?.includes(tag) ? CLOUD : undefined),
    hasRestarts: (run) => own.hasRestarts(run),
  };
}

/** The catalogue of the tab: the page's, and plain tensors of points, which belong to the tab Tensors. */
export class ShapeCatalogue implements TagCatalogue {
  private readonly own = signal<TagTable | null>(null);
  private readonly clouds = signal<CloudsByRun | null>(null);
  private readonly problem = signal<string | null>(null);

  constructor(
    private readonly page: Page,
    /** Whether plain tensors are shown next to shapes; without shapes they always are. */
    wanted: Live<boolean>,
  ) {
    const { ctx } = page;
    page.until(ctx.tags.subscribe((table) => (this.own.value = table)));
    page.until(ctx.tags.failure.subscribe((failure) => (this.problem.value = failure)));
    this.table = computed(() => {
      const [own, clouds] = [this.own.value, this.clouds.value];
      if (!own) return null;
      const alone = own.runs.every((run) => own.tagsOf(run).length === 0);
      if (alone && clouds === null) return null; // they may be all there is
      return shapeTable(own, clouds ?? {}, wanted.value || alone);
    });
    const grown = new Spaced(REST, () => void this.look());
    page.onChange(ctx.generation, () => page.visible.value && grown.ask());
    page.until(() => grown.cancel());
    page.until(
      effect(() => {
        if (page.visible.value) grown.ask();
      }),
    );
    page.until(
      effect(() => {
        const tags = new Set((this.table.value?.runs ?? NONE).flatMap((run) => this.table.value?.tagsOf(run) ?? NONE));
        const named = [...tags].map((tag): [string, string | null] => [tag, titleOf(tag)]);
        page.titles.value = new Map(named.filter((pair): pair is [string, string] => pair[1] !== null));
      }),
    );
  }

  private readonly table: Live<TagTable | null>;

  /** How many plain tensors of points the runs have. */
  get count(): number {
    return Object.values(this.clouds.value ?? {}).reduce((sum, tags) => sum + tags.length, 0);
  }

  get value(): TagTable | null {
    return this.table.value;
  }

  subscribe(listener: (table: TagTable | null) => void): () => void {
    return this.table.subscribe(listener);
  }

  get failure(): TagCatalogue['failure'] {
    return this.problem;
  }

  refresh(): void {
    this.page.ctx.tags.refresh();
    void this.look();
  }

  private async look(): Promise<void> {
    const { ctx } = this.page;
    try {
      const { clouds } = await ctx.data.json<{ readonly clouds: CloudsByRun }>('clouds', {}, { signal: ctx.signal });
      if (JSON.stringify(clouds) !== JSON.stringify(this.clouds.value)) this.clouds.value = clouds;
      if (this.own.value) this.problem.value = null;
    } catch (error) {
      if (!ctx.signal.aborted && this.clouds.value === null) this.problem.value = message(error);
    }
  }
}
