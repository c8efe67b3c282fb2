/** What the tab is made of: a source of a run, a step, a list of samples, one of them, and what it is compared with. */
import type { Codec } from '@insight-host/api';
import { cardParts, codecs, type Page } from '@insight-host/kit';
import { computed, effect, signal } from '@preact/signals';
import type { Changes, Line, Overview, Sample, SamePrompt } from './answers';
import { Asking, Lines } from './asking';
import { Search } from './search';

export const VIEWS = ['samples', 'changes'] as const;
export const DETAILS = ['one', 'group', 'steps'] as const;
type View = (typeof VIEWS)[number];
type Detail = (typeof DETAILS)[number];

const SETTLE = 300; // ms
const POLLS = 700; // ms between questions while the index is made

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

  const sources = new Asking<Sources>(page);
  const overview = new Asking<Overview>(page);
  const lines = new Lines<Line>(page, 'rows');
  const shown = new Asking<Sample>(page);
  const same = new Asking<SamePrompt>(page);
  const changes = new Asking<Changes>(page);
  const search = new Search(page);
  /** The line of the list that is shown, if it is known. */
  const line = signal<Line | null>(null);

  const about = computed(() => (run.value === null ? null : { run: run.value, source: source.value }));
  const steps = computed(() => overview.value.value?.steps ?? []);
  const score = computed(() => {
    const scores = overview.value.value?.scores ?? [];
    return wantedScore.value && scores.includes(wantedScore.value) ? wantedScore.value : (scores[0] ?? '');
  });
  /** The step that is shown: the wanted one or the nearest before it, by default the last. */
  const step = computed(() => nearest(steps.value, wantedStep.value));
  const first = computed(() => (from.value === null ? (steps.value[0] ?? null) : nearest(steps.value, from.value)));
  const conditions = computed(() =>
    where.value
      .split(/[;,]|\band\b/)
      .map((text) => text.trim())
      .filter(Boolean),
  );
  const sourceNames = computed(() => (sources.value.value?.sources ?? []).filter(([of]) => of === run.value));

  page.until(
    effect(() => {
      sources.ask('sources', run.value === null ? null : { run: run.value });
      overview.ask('overview', about.value);
    }),
  );
  // while the index is made, the overview grows
  page.until(
    effect(() => {
      const answer = overview.value.value;
      if (!answer || answer.indexed >= answer.bytes || !page.visible.value) return undefined;
      const timer = setTimeout(() => overview.again('overview', about.peek()), POLLS);
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
    const answer = overview.value.value;
    const at = step.value;
    if (!answer) return 0;
    return everyStep.value ? answer.rows : (answer.shown.find(([of]) => of === at)?.[1].rows ?? 0);
  };
  let before = '';
  page.until(
    effect(() => {
      void listKey.value;
      const query = listed.peek();
      if (q.peek() !== '') {
        lines.want(null);
        search.want(query && { ...query, q: q.peek(), ...(isRegex.peek() && { regex: '1' }) });
        return;
      }
      search.want(null);
      const key = JSON.stringify(query);
      lines.want(query, key === before);
      before = key;
    }),
  );
  page.until(
    effect(() => {
      const { value: of } = sample;
      shown.ask('sample', of && about.value && { ...about.value, id: of.id, size: of.size });
    }),
  );
  page.until(
    effect(() => {
      const prompt = line.value?.prompt;
      const wants = view.value === 'samples' && detail.value !== 'one' && prompt !== undefined && about.value !== null;
      const at = detail.value === 'group' ? { step: line.value?.step } : {};
      same.ask('prompt', wants ? { ...about.value, prompt, ...at } : null);
    }),
  );
  page.until(
    effect(() => {
      const wants = view.value === 'changes' && about.value && first.value !== null && step.value !== null;
      const theirs = other.value === null ? {} : { other: other.value };
      changes.ask(
        'compare',
        wants ? { ...about.value, first: first.value, second: step.value, score: score.value, ...theirs } : null,
      );
    }),
  );
  page.onChange(ctx.changes, ({ series }) => {
    const of = run.peek();
    if (series && (of === null || !series[of])) return;
    if (of !== null) sources.again('sources', { run: of });
    overview.again('overview', about.peek());
  });

  return {
    ...parts,
    ...{ run, source, step, everyStep, view, detail, sample, sort, where, q, isRegex, score, from, other, charts },
    ...{ sources, overview, lines, shown, same, changes, search, line, about, steps, first, sourceNames, withSamples },
    setScore: (name: string): void => wantedScore.set(name),
    /** Shows a step, and nothing of another one. */
    goTo(to: number): void {
      if (everyStep.peek()) everyStep.set(false, 'replace');
      wantedStep.set(to);
    },
    /** The step before or after, or the first and the last. */
    move(by: number): void {
      const all = steps.peek();
      const at = all.indexOf(step.peek() ?? NaN);
      const to = all[Math.max(0, Math.min(all.length - 1, at + by))];
      if (to !== undefined) wantedStep.set(to, 'replace');
    },
    open(of: Line): void {
      line.value = of;
      sample.set({ id: of.id, size: of.size }, 'replace');
    },
    /** What changed up to the step that is shown. */
    compareFrom(of: number | null): void {
      from.set(of);
      view.set('changes');
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
