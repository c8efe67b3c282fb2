/** What the tab is made of: the log that is shown, a line of it, a search, and what links ask for. */
import type { Codec } from '@insight-host/api';
import { cardParts, codecs, type Page } from '@insight-host/kit';
import { SlicedSearch } from '@insight-host/kit/texts';
import { computed, effect, signal } from '@preact/signals';
import { Log } from './log';
import { searchLogs, type Hit, type Place } from './search';

export interface LogFile extends Place {
  readonly size: number;
  /** Seconds since the epoch. */
  readonly changed: number;
}

/** Lines from 1, as editors count. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

interface Files {
  readonly files: readonly (readonly [run: string, tag: string, size: number, changed: number])[];
}

const lines: Codec<Lines | null> = {
  parse(text) {
    const [first = NaN, last = first] = (text ?? '').split('-').map(Number);
    return first >= 1 && last >= first ? { first: Math.floor(first), last: Math.floor(last) } : null;
  },
  format: (value) => value && (value.first === value.last ? String(value.first) : `${value.first}-${value.last}`),
};

const place: Codec<number | null> = {
  parse: (text) => (text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null),
  format: (value) => (value === null ? null : String(value)),
};

const SETTLE = 300; // ms

export type ConsoleBoard = ReturnType<typeof consoleParts>;

export function consoleParts(page: Page) {
  const parts = cardParts(page, false);
  const { ctx } = page;
  page.linkedRun('run');
  const run = computed(
    () => page.oneOf(page.runs.value.filter(({ name }) => parts.tags.table.value?.tagsOf(name).length))?.name ?? null,
  );
  const file = page.setting('file', codecs.name);
  const line = page.setting('line', lines);
  const at = page.setting('at', place); // a byte: links of findings
  const step = page.setting('step', place);
  const wrap = page.setting('wrap', codecs.flag(false));
  const q = page.setting('q', codecs.text, SETTLE);
  const isRegex = page.setting('regex', codecs.flag(false));
  const everywhere = page.setting('all', codecs.flag(false));
  const follows = signal(line.value === null && at.value === null && step.value === null);
  const files = signal<readonly LogFile[]>([]);
  const failure = signal<string | null>(null);
  const log = signal<Log | null>(null);
  const search = new SlicedSearch<Hit>(page);
  /** A line that is to come into sight, from 0; another object each time. */
  const target = signal<{ readonly line: number } | null>(null);

  const list = async (runs: readonly string[]): Promise<readonly LogFile[]> => {
    const answer = await ctx.data.json<Files>('files', { run: runs }, { signal: ctx.signal });
    return answer.files.map(([of, tag, size, changed]) => ({ run: of, tag, size, changed }));
  };

  const loadFiles = async (): Promise<void> => {
    const of = run.peek();
    if (of === null) return;
    try {
      const found = await list([of]);
      if (run.peek() === of) files.value = found;
      failure.value = null;
    } catch (error) {
      if (!ctx.signal.aborted) failure.value = error instanceof Error ? error.message : String(error);
    }
  };
  page.until(
    effect(() => {
      void run.value;
      files.value = [];
      void loadFiles();
    }),
  );
  const chosen = computed(() => {
    const shown = log.peek(); // stays when another log of the run is written
    const filled = files.value.filter(({ size }) => size > 0);
    return (
      files.value.find(({ tag }) => tag === file.value) ??
      filled.find(({ run: of, tag }) => of === shown?.run && tag === shown.tag) ??
      filled[0] ??
      files.value[0] ??
      null
    );
  });
  const key = computed(() => (chosen.value ? JSON.stringify([chosen.value.run, chosen.value.tag]) : ''));
  page.until(
    effect(() => {
      log.peek()?.end();
      if (key.value === '') return void (log.value = null);
      const [of, tag] = JSON.parse(key.value) as [string, string];
      log.value = new Log(page, of, tag);
      void log.value.refresh();
    }),
  );
  page.until(() => log.peek()?.end());
  page.onChange(ctx.changes, ({ series }) => {
    const of = run.peek();
    if (series && (of === null || !series[of])) return;
    void loadFiles();
    if (page.visible.peek()) void log.peek()?.refresh();
  });
  page.onChange(ctx.visible, (isVisible) => isVisible && void log.peek()?.refresh());

  /** Puts lines of a log into the address. */
  const choose = (tag: string, lines: Lines, how?: 'push' | 'replace'): void => {
    follows.value = false;
    file.set(tag, 'replace');
    line.set(lines, how);
  };
  const show = (tag: string, lineFrom1: number): void => {
    choose(tag, { first: lineFrom1, last: lineFrom1 }, 'replace');
    target.value = { line: lineFrom1 - 1 };
  };

  // what a link asks for becomes a line once the log is there
  page.until(
    effect(() => {
      const shown = log.value;
      if (!shown) return;
      const byte = at.value;
      if (byte !== null) void lead(shown, byte);
      else if (step.value !== null) void leadToStep(shown.run, step.value);
      else if (line.peek() !== null && target.peek() === null) target.value = { line: (line.peek()?.first ?? 1) - 1 };
    }),
  );
  async function lead(shown: Log, byte: number): Promise<void> {
    if (file.peek() !== null && file.peek() !== shown.tag) return; // another log is meant, which comes
    const found = await shown.lineAt(byte);
    if (log.peek() !== shown || at.peek() !== byte || shown.hasEnded) return;
    if (found === null && shown.failure.peek() === null) {
      const { value: state } = shown.state;
      if (state && state.indexed < state.size) return void setTimeout(() => void lead(shown, byte), SETTLE);
    }
    at.set(null);
    if (found !== null) show(shown.tag, found + 1);
  }
  async function leadToStep(of: string, wanted: number): Promise<void> {
    try {
      const found = await ctx.data.json<{ file: string; at: number; step: number }>(
        'step',
        { run: of, step: wanted, ...(file.peek() !== null && { tag: file.peek() ?? '' }) },
        { signal: ctx.signal },
      );
      if (step.peek() !== wanted || run.peek() !== of) return;
      file.set(found.file);
      at.set(found.at);
      if (found.step !== wanted) ctx.notify('info', page.t('step.nearest', { wanted, step: found.step }));
    } catch {
      if (!ctx.signal.aborted) ctx.notify('info', page.t('step.none', { step: wanted }));
    }
    if (step.peek() === wanted) step.set(null);
  }

  const searchIn = (what: { q: string; isRegex: boolean }, places: readonly Place[]): void =>
    search.want((stop) => searchLogs(page, { ...what, places }, stop));
  const wanted = computed(() => ({ q: q.value, isRegex: isRegex.value, isEverywhere: everywhere.value }));
  const id = computed(() => log.value?.state.value?.id); // another one when the log was replaced: its hits are gone
  page.until(
    effect(() => {
      const shown = log.value;
      const places = shown && id.value !== undefined ? [shown] : [];
      if (wanted.value.q === '') search.want(null);
      else if (!wanted.value.isEverywhere) searchIn(wanted.value, places);
    }),
  );
  page.until(
    effect(() => {
      const { value: of } = wanted;
      if (!of.isEverywhere || of.q === '') return;
      void list([]).then(
        (all) =>
          wanted.peek() === of &&
          searchIn(
            of,
            all.filter(({ size }) => size > 0),
          ),
        () => undefined, // the host is away, as the page says
      );
    }),
  );

  const open = (hit: Hit | undefined): void => {
    if (!hit) return;
    if (hit.run !== run.peek()) ctx.runs.one.set(hit.run);
    show(hit.tag, hit.line + 1);
  };
  return {
    ...parts,
    ...{ run, file, line, wrap, q, isRegex, everywhere, follows, files, failure, log, chosen, search, target },
    choose,
    open,
    next: (by: 1 | -1): void => open(search.step(by)),
    reload: loadFiles,
    pick(tag: string): void {
      file.set(tag);
      line.set(null);
      follows.value = true;
    },
  };
}
