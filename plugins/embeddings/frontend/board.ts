import type { Codec, Run, TagInfo } from '@insight-host/api';
import { cardParts, codecs, rgbOf, type Page } from '@insight-host/kit';
import { RunLists } from '@insight-host/kit/lists';
import { Orbit } from '@insight-host/kit/scene';
import { computed, signal } from '@preact/signals';
import { FIRST_CAMERA, LIMITS } from './camera';
import { Chosen } from './chosen';
import { coloringOf, firstColumn } from './coloring';
import { alongComponents, Layouts, type Method, type Positions } from './layouts/layouts';
import { SavedSelections } from './saved_selections';
import {
  marked,
  matchesOf,
  Source,
  type Column,
  type Lists,
  type Metric,
  type Place,
  type RunEmbeddings,
} from './source';

export const METRICS = ['cosine', 'euclidean'] as const satisfies readonly Metric[];
export const SPACES = ['three', 'two'] as const;
export const METHODS = ['pca', 'umap', 'tsne'] as const satisfies readonly Method[];
export const NEIGHBOURS = [1, 200] as const;
export const UMAP_NEIGHBOURS = [3, 200] as const;
export const MIN_DISTS = [0, 0.95] as const;
export const PERPLEXITIES = [2, 100] as const;
const SETTLE = 300; // ms without a change before the URL says it

const pointCodec: Codec<number | null> = {
  parse: (text) => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null),
  format: (value) => (value === null ? null : String(value)),
};

type Axes = readonly [number, number, number];
const FIRST_AXES: Axes = [0, 1, 2];
const axesCodec: Codec<Axes> = {
  parse: (text) => (/^\d(-\d){2}$/.test(text ?? '') ? ((text as string).split('-').map(Number) as never) : FIRST_AXES),
  format: (value) => (value.join() === FIRST_AXES.join() ? null : value.join('-')),
};

/** Of the claimed files, configurations tell that a run has embeddings. */
const isConfig = ({ claims }: TagInfo): boolean => claims.some((claim) => claim.endsWith('projector_config.pbtxt'));

export type EmbeddingParts = ReturnType<typeof embeddingParts>;

/** What the Embeddings tab is made of: one embedding of a run, and which of its points are of interest. */
export function embeddingParts(page: Page) {
  const parts = cardParts(page, true, { shows: isConfig });
  const runs = computed<readonly Run[]>(() =>
    page.runs.value.filter(({ name }) => parts.tags.table.value?.tagsOf(name).length),
  );
  const lists: Lists = new RunLists(page, async (wanted, signal) => {
    const found = await page.ctx.data.json<{ readonly runs: readonly RunEmbeddings[] }>(
      'embeddings',
      { run: wanted },
      { signal },
    );
    return new Map(found.runs.map((one) => [one.run, one]));
  });
  lists.follow(computed(() => runs.value.map(({ name }) => name)));
  const chosen = new Chosen(page, runs, lists);
  const unitLength = page.setting('unit', codecs.flag(false));
  const metric = page.setting('metric', codecs.choice(METRICS, 'cosine'));
  const count = page.setting('neighbours', codecs.wholeNumber(...NEIGHBOURS, 20));
  const point = page.setting('point', pointCodec);
  const place = computed<Place | null>(() => {
    const [run, entry] = [chosen.run.value, chosen.entry.value];
    return run && entry ? { run: run.name, entry } : null;
  });
  const source = new Source(page, { place, unitLength, point, metric, count });
  const size = computed(() => source.points.value?.points ?? 0);
  /** The point that the user looks at, if it exists. */
  const focused = computed(() => (point.value !== null && point.value < size.value ? point.value : null));

  const colorBy = page.setting('color', codecs.name);
  const labelBy = page.setting('label', codecs.name);
  const named = (name: string | null): Column | null =>
    source.columns.value.find((column) => column.name === name) ?? null;
  const labelColumn = computed(() => named(labelBy.value) ?? source.columns.value[0] ?? null);
  /** "" in the link stands for no column. */
  const colorColumn = computed(() =>
    colorBy.value === null ? firstColumn(source.columns.value) : named(colorBy.value),
  );

  const space = page.setting('space', codecs.choice(SPACES, 'three'));
  const axes = page.setting('axes', axesCodec);
  const method = page.setting('method', codecs.choice(METHODS, 'pca'));
  const umapNeighbours = page.setting('nearest', codecs.wholeNumber(...UMAP_NEIGHBOURS, 15));
  const minDist = page.setting('distance', codecs.number(...MIN_DISTS, 0.1));
  const perplexity = page.setting('perplexity', codecs.wholeNumber(...PERPLEXITIES, 30));
  const layouts = new Layouts(page, {
    method,
    place,
    points: source.points,
    metric,
    dimensions: computed(() => (space.value === 'two' ? 2 : 3)),
    neighbours: umapNeighbours,
    minDist,
    perplexity,
  });
  /** Those of the components until a layout has begun. */
  const positions = computed<Positions | null>(() => {
    const { value: points } = source.points;
    const [x, y, z] = axes.value;
    const laidOut = method.value === 'pca' ? null : layouts.positions.value;
    return laidOut ?? (points && alongComponents(points, [x, y, space.value === 'two' ? null : z]));
  });
  const axisNames = computed<readonly string[]>(() =>
    (method.value === 'pca' ? axes.value : [])
      .slice(0, space.value === 'two' ? 2 : 3)
      .filter((axis) => axis < (source.points.value?.components ?? 0))
      .map((axis) => page.t('component', { number: axis + 1 })),
  );

  const search = page.setting('search', codecs.text, SETTLE);
  const matches = computed(() => matchesOf(labelColumn.value, search.value));
  /** Points that the user put together, ascending; null for none. */
  const selection = signal<Uint32Array | null>(null);
  /** Only these are shown. */
  const isolated = signal<Uint32Array | null>(null);
  const shown = computed<Uint8Array | null>(() => {
    const found = positions.value;
    if (!found) return null;
    const only = isolated.value && marked(isolated.value, size.value);
    return only ? found.finite.map((is, i) => (is && only[i] ? 1 : 0)) : found.finite;
  });
  const near = computed<readonly number[]>(() => source.neighbours.value?.points ?? []);
  /** The points that stand out from all others; null: all are alike. */
  const focus = computed<Uint8Array | null>(() => {
    if (selection.value) return marked(selection.value, size.value);
    if (matches.value) return marked(matches.value, size.value);
    return focused.value === null ? null : marked([focused.value, ...near.value], size.value);
  });
  const ink = computed(() => {
    const token = (name: string): string => page.theme.value.token(name).trim();
    return { text: token('--text'), faint: token('--muted'), surface: token('--surface'), accent: token('--accent') };
  });
  const isDark = computed(() => page.theme.value.mode === 'dark');
  const coloring = computed(() => coloringOf(colorColumn.value, size.value, isDark.value, ink.value.accent));
  /** What a point is called. */
  const labelOf = (index: number): string => {
    const column = labelColumn.value;
    return column?.labels[column.codes[index] ?? -1] || page.t('point', { number: index });
  };
  const colorOf = (index: number): string => {
    const [r, g, b] = coloring.value.rgb.subarray(3 * index, 3 * index + 3);
    return `rgb(${r}, ${g}, ${b})`;
  };
  const clear = (): void => {
    selection.value = null;
    isolated.value = null;
    point.set(null);
  };
  let group = chosen.group.peek();
  page.until(
    chosen.group.subscribe((next) => {
      if (group !== null && next !== group) clear(); // points of another embedding have other numbers
      group = next;
    }),
  );
  return {
    ...parts,
    runs,
    lists,
    chosen,
    source,
    size,
    unitLength,
    metric,
    count,
    point,
    focused,
    colorBy,
    labelBy,
    labelColumn,
    colorColumn,
    space,
    axes,
    method,
    umapNeighbours,
    minDist,
    perplexity,
    layouts,
    positions,
    axisNames,
    search,
    matches,
    selection,
    isolated,
    shown,
    near,
    focus,
    ink,
    isDark,
    background: computed(() => rgbOf(ink.value.surface)),
    coloring,
    labelOf,
    colorOf,
    clear,
    /** The point under the pointer, or whose line in a list has it. */
    hovered: signal<number | null>(null),
    orbit: new Orbit(page, FIRST_CAMERA, LIMITS),
    pictures: page.setting('pictures', codecs.flag(true)),
    labels: page.setting('labels', codecs.flag(false)),
    /** A drag of the pointer selects points. */
    boxes: signal(false),
    screen: page.setting('screen', codecs.flag(false)),
    panel: page.setting('panel', codecs.flag(true)),
    saved: new SavedSelections(page),
  };
}

/** Points from the list of a search, or a label of the legend, become the selection. */
export function select({ selection }: Pick<EmbeddingParts, 'selection'>, points: Uint32Array): void {
  selection.value = points.length > 0 ? points : null;
}
