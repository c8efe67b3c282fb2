/** What the tab is made of: a source of a run, a step, a list of samples, one of them, and what it is compared with. */
import type { Codec } from '@insight-host/api';
import { cardParts, codecs, Latest, type Page } from '@insight-host/kit';
import { ServedRows } from '@insight-host/kit/table';
import { SlicedSearch } from '@insight-host/kit/texts';
import { computed, effect, signal } from '@preact/signals';
import {
  loadSample,
  searchSamples,
  type Changes,
  type Line,
  type LinesAnswer,
  type Overview,
  type NamedSample,
  type SamePrompt,
} from './answers';

export const VIEWS = ['samples', 'changes'] as const;
export const DETAILS = ['one', 'group', 'steps'] as const;
type View = (typeof VIEWS)[number];
type Detail = (typeof DETAILS)[number];

const SETTLE = 300; // ms
const POLLS = 700; // ms between questions while the index is made
const TOGETHER = 100; // lines of one request

/** A sample by file and place, and its size in the file: `12:4096~800`. */
export interface Place {
  readonly id: string;
  readonly size: number;
}
const place: Codec<Place | null> = {
  parse(text) {
    const found = /^([\d.-]+:\d+)~(\d+)$/.exec(text ?? '');
    return found ? { id: found[1] ?? '', size: Number(found[2]) } : null;
  },
  format: (value) => value && `${value.id}~${value.size}`,
};
const whole: Codec<number | null> = {
  parse: (text) => (text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : null),
  format: (value) => (value === null ? null : String(value)),
};

type Query = Readonly<Record<string, unknown>>;

interface Sources {
  readonly sources: readonly (readonly [run: string, name: string, files: number, bytes: number, changed: number])[];
}

export type SamplesBoard = ReturnType<typeof samplesParts>;

export function samplesParts(page: Page) {
  const parts = cardParts(page, false);
  const { ctx } = page;
  page.linkedRun('run');
  const withSamples = computed(() => page.runs.value.filter(({ name }) => parts.tags.table.value?.tagsOf(name).length));
  const run = computed(() => page.oneOf(withSamples.value)?.name ?? null);
  const source = page.setting('source', codecs.text);
  const wantedStep = page.setting('step', whole);
  const everyStep = page.setting('all', codecs.flag(false));
  const view = page.setting('view', codecs.choice<View>(VIEWS, 'samples'));
  const detail = page.setting('detail', codecs.choice<Detail>(DETAILS, 'one'));
  const sample = page.setting('sample', place);
  const sort = page.setting('sort', codecs.text);
  const where = page.setting('where', codecs.text, SETTLE);
  const q = page.setting('q', codecs.text, SETTLE);
  const isRegex = page.setting('regex', codecs.flag(false));
  const wantedScore = page.setting('score', codecs.text);
  const from = page.setting('from', whole);
  const other = page.setting('other', codecs.name);
  const charts = page.setting('charts', codecs.flag(true));
  /** Whether texts are shown as Markdown with formulas. */
  const isRendered = page.setting('rendered', codecs.flag(false));

  const sources = new Latest<Sources>();
  const overview = new Latest<Overview>();
  const lines = new ServedRows<Line, LinesAnswer>({ page: TOGETHER });
  const shown = new Latest<NamedSample>();
  const same = new Latest<SamePrompt>();
  const changes = new Latest<Changes>();
  const search = new SlicedSearch<Line>(page);
  page.until(() => {
    for (const latest of [sources, overview, shown, same, changes]) latest.rest();
    lines.stop();
  });
  /** Asks a route, and again when data came or `again` grows; null: nothing is asked, and nothing is shown. */
  const ask = <T>(latest: Latest<T>, route: string, query: Query | null, version = 0): void => {
    if (query === null) return latest.forget();
    latest.want(JSON.stringify([route, query, version]), (signal) =>
      ctx.data.json<T>(route, query as never, { signal }),
    );
  };
  /** Grows when data of the run came, or more of them is indexed. */
  const version = signal(0);
  /** The line of the list that is shown, if it is known. */
  const line = signal<Line | null>(null);

  const about = computed(() => (run.value === null ? null : { run: run.value, source: source.value }));
  const known = computed(() => overview.answer.value?.value ?? null);
  const steps = computed(() => known.value?.steps ?? []);
  const score = computed(() => {
    const scores = known.value?.scores ?? [];
    return wantedScore.value && scores.includes(wantedScore.value) ? wantedScore.value : (scores[0] ?? '');
  });
  /** The step that is shown: the wanted one or the nearest before it, by default the last. */
  const step = computed(() => nearest(steps.value, wantedStep.value));
  const first = computed(() => (from.value === null ? (steps.value[0] ?? null) : nearest(steps.value, from.value)));
  /** Whether there is another step, or another run, to compare with. */
  const canCompare = computed(() => steps.value.length > 1 || withSamples.value.length > 1);
  const conditions = computed(() =>
    where.value
      .split(/[;,]|\band\b/)
      .map((text) => text.trim())
      .filter(Boolean),
  );
  const sourceNames = computed(() => (sources.answer.value?.value.sources ?? []).filter(([of]) => of === run.value));

  page.until(
    effect(() => {
      ask(sources, 'sources', run.value === null ? null : { run: run.value }, version.value);
      ask(overview, 'overview', about.value, version.value);
    }),
  );
  // while the index is made, the overview grows
  page.until(
    effect(() => {
      const answer = known.value;
      if (!answer || answer.indexed >= answer.bytes || !page.visible.value) return undefined;
      const timer = setTimeout(() => void version.value++, POLLS);
      return () => clearTimeout(timer);
    }),
  );
  const listed = computed(() => {
    if (about.value === null || view.value !== 'samples' || (!everyStep.value && step.value === null)) return null;
    const { key, down } = sorted(sort.value);
    return {
      ...about.value,
      ...(!everyStep.value && { step: step.value }),
      ...(conditions.value.length && { where: conditions.value }),
      ...(key && { sort: key }),
      ...(down && { desc: '1' }),
    };
  });
  const listKey = computed(() => JSON.stringify([listed.value, q.value, isRegex.value, rowsKnown()]));
  const rowsKnown = (): number => {
    const answer = known.value;
    const at = step.value;
    if (!answer) return 0;
    return everyStep.value ? answer.rows : (answer.shown.find(([of]) => of === at)?.[1].rows ?? 0);
  };
  page.until(
    effect(() => {
      void listKey.value;
      const query = listed.peek();
      const asked = query && q.peek() !== '' ? { ...query, q: q.peek(), ...(isRegex.peek() && { regex: '1' }) } : null;
      search.want(asked && ((stop) => searchSamples(page, asked, stop)));
      if (!query || asked) return lines.forget();
      lines.want(listKey.peek(), async (offset, limit, stop) => {
        const wanted = { ...query, offset, limit };
        const found = await ctx.data.json<{ total: number; samples: readonly Line[] }>('rows', wanted as never, {
          signal: stop,
        });
        return { total: found.total, rows: found.samples };
      });
    }),
  );
  page.until(
    effect(() => {
      const of = sample.value && about.value && { ...about.value, ...sample.value };
      if (of) shown.want(JSON.stringify(of), (signal) => loadSample(page, of, signal));
      else shown.forget();
    }),
  );
  page.until(
    effect(() => {
      const prompt = line.value?.prompt;
      const wants = view.value === 'samples' && detail.value !== 'one' && prompt !== undefined && about.value !== null;
      const at = detail.value === 'group' ? { step: line.value?.step } : {};
      ask(same, 'prompt', wants ? { ...about.value, prompt, ...at } : null);
    }),
  );
  page.until(
    effect(() => {
      const wants = view.value === 'changes' && about.value && first.value !== null && step.value !== null;
      const theirs = other.value === null ? {} : { other: other.value };
      ask(
        changes,
        'compare',
        wants ? { ...about.value, first: first.value, second: step.value, score: score.value, ...theirs } : null,
      );
    }),
  );
  page.onChange(ctx.changes, ({ series }) => {
    const of = run.peek();
    if (series && (of === null || !series[of])) return;
    version.value++;
  });

  return {
    ...parts,
    ...{
      run,
      source,
      step,
      everyStep,
      view,
      detail,
      sample,
      sort,
      where,
      q,
      isRegex,
      score,
      from,
      other,
      charts,
      isRendered,
    },
    ...{
      overview,
      known,
      lines,
      shown,
      same,
      changes,
      search,
      line,
      steps,
      first,
      sourceNames,
      withSamples,
      canCompare,
    },
    setScore: (name: string): void => wantedScore.set(name),
    /** Shows a step, and nothing of another one. */
    goTo(to: number): void {
      if (everyStep.peek()) everyStep.set(false, 'replace');
      wantedStep.set(to);
    },
    /** The step before or after, or the first and the last; from all steps to the one that was shown. */
    move(by: number): void {
      const all = steps.peek();
      const at = all.indexOf(step.peek() ?? NaN) + (everyStep.peek() ? 0 : by);
      const to = all[Math.max(0, Math.min(all.length - 1, at))];
      if (everyStep.peek()) everyStep.set(false, 'replace');
      if (to !== undefined) wantedStep.set(to, 'replace');
    },
    open(of: Line): void {
      line.value = of;
      sample.set({ id: of.id, size: of.size }, 'replace');
    },
    pickSource(name: string): void {
      source.set(name);
      sample.set(null, 'replace');
      line.value = null;
    },
  };
}

/** The wanted step or the nearest one before it; the first where all are behind it, the last without a wish. */
export function nearest(steps: readonly number[], wanted: number | null): number | null {
  if (steps.length === 0) return null;
  if (wanted === null) return steps[steps.length - 1] ?? null;
  return steps.findLast((step) => step <= wanted) ?? steps[0] ?? null;
}

/** A column, descending with `-` before its name. */
export const sorted = (text: string): { key: string; down: boolean } =>
  text.startsWith('-') ? { key: text.slice(1), down: true } : { key: text, down: false };
