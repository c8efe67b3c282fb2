import {
  cardId,
  type CardKey,
  exactAt,
  floats,
  type Page,
  type ChangedSeries,
  Problem,
  spliced,
  type RequestQueue,
} from '@insight-host/kit/lab';
import { signal, type ReadonlySignal as Live, type Signal } from '@preact/signals';
import type { Columns, Query } from '@insight-host/api';

/** The records of one tag of one run: columns of equal length, one row per record. */
export interface Records {
  readonly steps: Float64Array;
  /** Seconds since the epoch. */
  readonly wallTimes: Float64Array;
  /** Bytes of each payload. */
  readonly sizes: Float64Array;
  /** That the writer recorded. */
  readonly points: number;
  /** Of these, retained under the cache policy. */
  readonly kept: number;
  /** Of these, hidden because a later attempt overwrote their steps. */
  readonly hidden: number;
  /** Of the hidden ones: a session that began later purged them. */
  readonly purged?: number;
  /** With which the table was asked for: an index means something only with it. */
  readonly attempts: 'last' | 'all';
}

export function decodeRecords(columns: Columns, attempts: 'last' | 'all'): Records {
  const described = JSON.parse(columns.metadata['records'] ?? '{}') as Readonly<Record<string, unknown>>;
  const count = (name: string): number => Number(described[name] ?? 0);
  return {
    steps: floats(columns.column('steps')),
    wallTimes: floats(columns.column('wall_times')),
    sizes: floats(columns.column('sizes')),
    points: count('points'),
    kept: count('kept'),
    hidden: count('hidden'),
    purged: count('purged'),
    attempts,
  };
}

/** Steps alone as what a slider goes over: those of several runs together. */
export function recordsAt(steps: Float64Array, attempts: 'last' | 'all'): Records {
  const none = new Float64Array(steps.length).fill(NaN);
  return { steps, wallTimes: none, sizes: none, points: none.length, kept: none.length, hidden: 0, attempts };
}

const same = (a: number | undefined, b: number | undefined): boolean => Object.is(a, b);

/**
 * What was known and what came after it; `tail` was asked for from the last known record on. null when
 * they do not fit together (another restart, a rewritten file, a new sample), or nothing came after it.
 */
export function joined(known: Records, tail: Records): Records | null {
  const last = known.steps.length - 1;
  if (last < 0 || tail.attempts !== known.attempts || tail.hidden !== known.hidden) return null;
  if (known.kept !== known.points || tail.kept !== tail.points || tail.points < known.points) return null;
  if (!same(tail.steps[0], known.steps[last]) || !same(tail.wallTimes[0], known.wallTimes[last])) return null;
  if (tail.points - tail.hidden !== last + tail.steps.length) return null;
  if (tail.steps.length === 1) return last > 0 ? null : tail; // a change before it: a file was written again
  return {
    ...tail,
    steps: spliced(known.steps, last, tail.steps),
    wallTimes: spliced(known.wallTimes, last, tail.wallTimes),
    sizes: spliced(known.sizes, last, tail.sizes),
  };
}

/** Whether two tables say the same of the same records. */
function alike(one: Records, other: Records): boolean {
  const columns = ['steps', 'wallTimes', 'sizes'] as const;
  return (
    (['points', 'kept', 'hidden', 'purged', 'attempts'] as const).every((name) => one[name] === other[name]) &&
    columns.every(
      (name) => one[name].length === other[name].length && one[name].every((value, at) => same(value, other[name][at])),
    )
  );
}

/**
 * Names one record in requests. With step and wall time an answer is for ever, and one for another record is refused.
 */
export function recordQuery({ run, tag }: CardKey, records: Records, index: number): Query {
  const step = exactAt(records.steps, index);
  return {
    run,
    tag,
    index,
    attempts: records.attempts,
    step: typeof step === 'bigint' ? String(step) : step,
    wall_time: records.wallTimes[index],
  };
}

/** Stays the same object for a card, whatever comes. */
export interface RecordTable {
  /** null until the first answer; the old ones stay until newer ones are there. */
  readonly records: Signal<Records | null>;
  readonly error: Problem;
}

interface Entry extends RecordTable {
  readonly card: CardKey;
  readers: number;
  stale: boolean;
  /** Anything may have changed: nothing that is known is built upon. */
  doubtful: boolean;
  asking: boolean;
}

const MOST = 1_000_000; // records in tables kept of cards that left the screen
const BEFORE_PICTURES = -1; // urgency
const REST = 500; // ms from one answer to the next question about a table, however fast it grows

/** The records of the cards that are looked at, each asked for once and again after a change. */
export class RecordTables {
  private readonly entries = new Map<string, Entry>();
  /** Whether any table hides records because a later attempt overwrote their steps. */
  readonly anyHidden = signal(false);

  constructor(
    private readonly page: Page,
    private readonly queue: RequestQueue,
    private readonly attempts: Live<'last' | 'all'>,
  ) {
    page.onChange(page.ctx.changes, ({ series }) => this.changed(series));
    page.onChange(attempts, () => this.changed(null));
    page.onChange(page.visible, () => this.wake());
  }

  /** The table of a card; nothing is asked for before `hold`. */
  of(card: CardKey): RecordTable {
    return this.entry(card);
  }

  /** The card is near the screen: its table is fetched, and kept fresh until the returned function is called. */
  hold(card: CardKey): () => void {
    const entry = this.entry(card);
    entry.readers++;
    if (entry.stale) void this.ask(entry);
    return () => {
      entry.readers--;
      this.forgetOldest();
    };
  }

  private changed(series: ChangedSeries): void {
    for (const entry of this.entries.values()) {
      const { tag, run } = entry.card;
      if (series && !series[run ?? '']?.includes(tag)) continue;
      entry.stale = true;
      entry.doubtful ||= series === null;
      if (entry.readers > 0) void this.ask(entry);
    }
  }

  /** The tab is in front again. */
  private wake(): void {
    for (const entry of this.entries.values()) if (entry.stale && entry.readers > 0) void this.ask(entry);
  }

  retry(card: CardKey): void {
    const entry = this.entry(card);
    entry.stale = entry.doubtful = true;
    void this.ask(entry);
  }

  /** The largest step of the tables that are held. */
  get lastStep(): number {
    let last = -Infinity;
    for (const { readers, records } of this.entries.values())
      if (readers > 0) last = Math.max(last, records.value?.steps.at(-1) ?? -Infinity);
    return last;
  }

  private entry(card: CardKey): Entry {
    const id = cardId(card);
    let entry = this.entries.get(id);
    if (!entry) {
      entry = {
        card,
        records: signal(null),
        error: new Problem(),
        readers: 0,
        stale: true,
        doubtful: true,
        asking: false,
      };
    }
    this.entries.delete(id);
    this.entries.set(id, entry); // the latest used is forgotten last
    return entry;
  }

  private async ask(entry: Entry): Promise<void> {
    if (entry.asking || !this.page.visible.value) return;
    entry.asking = true;
    const { signal } = this.page.ctx;
    let requests = 1;
    try {
      await this.queue.run(
        () => BEFORE_PICTURES,
        signal,
        async () => {
          if (entry.readers === 0) return; // it has left again, and stays stale
          const known = entry.doubtful || !entry.records.value?.steps.length ? null : entry.records.value;
          entry.stale = entry.doubtful = false;
          let records = known && joined(known, await this.fetch(entry.card, known.steps.length - 1));
          if (!records) {
            if (known) requests++;
            records = await this.fetch(entry.card, 0);
          }
          if (!known || !alike(known, records)) entry.records.value = records;
          entry.error.clear();
          if (records.hidden > 0) this.anyHidden.value = true;
        },
      );
    } catch (error) {
      entry.doubtful = true; // what was to come may have been anything
      if (!signal.aborted) entry.error.set(error);
    }
    setTimeout(
      () => {
        entry.asking = false;
        if (entry.stale && entry.readers > 0 && !signal.aborted) void this.ask(entry);
      },
      entry.stale ? 0 : REST * requests,
    );
  }

  /** The records from the index `skip` on. */
  private async fetch({ tag, run }: CardKey, skip: number): Promise<Records> {
    const attempts = this.attempts.value;
    const query = { run, tag, attempts, skip: skip > 0 ? skip : null, format: 'safetensors' };
    return decodeRecords(
      await this.page.ctx.data.columns('records', query, { signal: this.page.ctx.signal }),
      attempts,
    );
  }

  private forgetOldest(): void {
    let kept = 0;
    for (const [id, { readers, records }] of [...this.entries].reverse()) {
      if (readers > 0) continue;
      kept += 100 + (records.value?.steps.length ?? 0); // an entry costs something too
      if (kept > MOST) this.entries.delete(id);
    }
  }
}
