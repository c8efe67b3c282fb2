/** Requests for the series of many cards at once, and their answers, decoded for drawing. */
import type { Columns, Query, Reason } from '@insight-host/api';
import { floats, type Page } from '@insight-host/kit';
import type { Ask } from './query';
import type { Series } from './series';

const AT_ONCE = 2; // requests; what is asked for meanwhile goes with the next
const FEW = 20; // runs that are named also if they are all

interface CardAsk {
  readonly runs: readonly string[];
  readonly parameters: Query;
}

interface CardAnswer {
  readonly series: readonly Series[];
  /** Why runs are missing. */
  readonly failures: readonly Error[];
  /** When it was asked for. */
  readonly time: number;
}

interface Waiting {
  readonly card: CardAsk;
  readonly ask: Ask;
  readonly resolve: (answer: CardAnswer) => void;
  readonly reject: (reason: unknown) => void;
}

/** Gathers what cards ask for in one task of the page; the most urgent card is answered first. */
export class Batches {
  private waiting: Waiting[] = [];
  private isGathering = false;
  private running = 0;
  private failed: number; // the time of the last failure of a card or a run in this browser; 0: none

  constructor(
    private readonly page: Page,
    private readonly now: () => number,
  ) {
    this.failed = page.ctx.memory.get('failed', 0);
  }

  /** Rejects with the reason when the whole card fails. */
  ask(card: CardAsk, ask: Ask): Promise<CardAnswer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ card, ask, resolve, reject });
      ask.signal.addEventListener('abort', () => reject(ask.signal.reason), { once: true });
      this.gather();
    });
  }

  private gather(): void {
    if (this.isGathering || this.running >= AT_ONCE) return;
    this.isGathering = true;
    setTimeout(() => {
      this.isGathering = false;
      const wanted = this.waiting.filter(({ ask }) => !ask.signal.aborted);
      this.waiting = [];
      if (wanted.length > 0) void this.send(wanted);
    }, 0);
  }

  private async send(wanted: readonly Waiting[]): Promise<void> {
    const urgencies = new Map(wanted.map((one) => [one, one.ask.urgency()]));
    const left = new Map(
      [...wanted].sort((a, b) => (urgencies.get(a) ?? 0) - (urgencies.get(b) ?? 0)).map((one, place) => [place, one]),
    );
    const stop = new AbortController();
    const leave = (): void => {
      if ([...left.values()].every(({ ask }) => ask.signal.aborted)) stop.abort();
    };
    for (const { ask } of wanted) ask.signal.addEventListener('abort', leave, { once: true });
    this.running++;
    try {
      const time = this.now();
      const query = queryOf(
        [...left.values()].map(({ card }) => card),
        this.page.allRuns.value.length,
      );
      // for the browser an answer with failures is complete: it would take it from its cache for the next try, also
      // after a reload
      if (this.failed > 0) query['after_failure'] = this.failed;
      for await (const frame of this.page.ctx.data.frames('cards', query, { signal: stop.signal })) {
        const place = Number(frame.metadata['card']);
        const one = left.get(place);
        left.delete(place);
        if (one) this.answer(one, frame, time);
      }
      for (const { reject } of left.values()) reject(new Error('the answer of the host ended early'));
    } catch (error) {
      for (const { reject } of left.values()) reject(error);
    } finally {
      for (const { ask } of wanted) ask.signal.removeEventListener('abort', leave);
      this.running--;
      if (this.waiting.length > 0) this.gather();
    }
  }

  private answer({ resolve, reject }: Waiting, frame: Columns, time: number): void {
    const { error, failed } = frame.metadata;
    try {
      if (error !== undefined) return reject(this.told(JSON.parse(error)));
      const failures = Object.values(JSON.parse(failed ?? '{}') as object).map((reason) => this.told(reason));
      resolve({ series: decodeDisplay(frame), failures, time });
    } catch (reason) {
      reject(reason);
    }
  }

  /** An error that the host answers for a card or a run. */
  private told(reason: Reason): Error {
    this.failed = Math.max(this.failed + 1, Date.now());
    this.page.ctx.memory.set('failed', this.failed);
    return Object.assign(new Error(this.page.ctx.reason(reason)), reason);
  }
}

/** Runs are named once; each card names places among them, unless it asks for all. */
function queryOf(cards: readonly CardAsk[], count: number): Record<string, Query[string]> {
  const runs = [...new Set(cards.flatMap((card) => card.runs))];
  const isEveryCard = cards.every((card) => card.runs.length === runs.length);
  const place = new Map(runs.map((run, i) => [run, i]));
  return {
    run: isEveryCard && runs.length > FEW && runs.length === count ? null : runs,
    card: cards.map(({ runs: own, parameters }) =>
      JSON.stringify(
        { ...parameters, ...(own.length < runs.length ? { runs: own.map((run) => place.get(run)) } : {}) },
        (_, value: unknown) => value ?? undefined,
      ),
    ),
  };
}

interface Steps {
  readonly count: number;
  readonly first?: number;
  readonly stride?: number;
  readonly column?: 'deltas8' | 'deltas16' | 'steps';
}

interface Codes {
  readonly top: number;
  readonly log: boolean;
  readonly times: boolean;
}

/** What follows from the rest is left out. Numbers that JSON cannot carry come as text. */
interface Header {
  readonly run: string;
  readonly tag: string;
  readonly steps: number;
  readonly values?: 'singles' | 'doubles';
  readonly range?: readonly [number, number];
  readonly origin: number | string;
  readonly extent: readonly [number | string, number | string];
  readonly points?: number;
  readonly total?: number;
  readonly kept?: number;
  readonly hidden?: number;
  readonly purged?: number;
  /** Whether a metric is x. */
  readonly along?: boolean;
  readonly restarts?: readonly number[];
  readonly breaks?: readonly number[];
  readonly nonfinite?: readonly [number, number, number];
}

const NONE = new Float64Array(0);

/** Decodes answers for drawing: `series` with `format=display`, and the frames of `cards`. */
export function decodeDisplay(columns: Columns): Series[] {
  const part = <T>(name: string): T => JSON.parse(columns.metadata[name] ?? '[]') as T;
  const codes = part<Codes>('codes');
  const taken = new Map<string, number>();
  /** The next numbers of a column, in which those of all series follow each other. */
  const take = (name: string, count: number): Float64Array => {
    if (count === 0) return NONE;
    const from = taken.get(name) ?? 0;
    taken.set(name, from + count);
    const column = columns.column(name);
    return floats(
      column instanceof BigInt64Array
        ? column.slice(from, from + count)
        : new Float64Array(column.subarray(from, from + count)),
    );
  };
  const steps = part<readonly Steps[]>('steps').map((written) => stepsOf(written, take));
  return part<readonly Header[]>('series').map((header): Series => {
    const own = steps[header.steps] as Float64Array;
    const count = own.length;
    const range = header.range ?? null;
    const values = range
      ? valuesOf(take('high', count), take('low', count), range, codes)
      : take(header.values as string, count);
    const points = header.points ?? count;
    const total = header.total ?? points;
    const [nan, inf, negative] = header.nonfinite ?? [0, 0, 0];
    return {
      run: header.run,
      tag: header.tag,
      steps: own,
      wallTimes: codes.times ? take('wall_times', count) : NONE,
      ...(header.along ? { xs: take('xs', count) } : {}),
      values,
      precision: range ? precisionOf(range, codes) : null,
      points,
      decimated: count < points,
      total,
      kept: header.kept ?? total,
      hidden: header.hidden ?? 0,
      purged: header.purged ?? 0,
      origin: Number(header.origin),
      extent: [Number(header.extent[0]), Number(header.extent[1])],
      restarts: header.restarts ?? [],
      breaks: header.breaks ?? [],
      nonfinite: { nan, inf, neg_inf: negative },
    };
  });
}

function stepsOf(written: Steps, take: (name: string, count: number) => Float64Array): Float64Array {
  const { count, first = 0, stride = 0, column } = written;
  if (column === 'steps') return take(column, count);
  if (!column) return Float64Array.from({ length: count }, (_, i) => first + i * stride);
  const out = new Float64Array(count);
  let at = 0;
  take(column, count - 1).forEach((delta, i) => (out[i + 1] = at += delta));
  return out.map((sum) => first + sum * stride);
}

/** Codes above that of the largest value: what has no place on the axis, NaN and infinities. */
const REST = [0, NaN, Infinity, -Infinity] as const;

function valuesOf(
  high: Float64Array,
  low: Float64Array,
  [least, most]: readonly [number, number],
  { top, log }: Codes,
): Float64Array {
  const [from, to] = log ? [Math.log(least), Math.log(most)] : [least, most];
  return high.map((byte, i) => {
    const code = 256 * byte + (low[i] as number);
    if (code > top) return REST[code - top - 1] ?? NaN;
    if (code === 0 || code === top) return code === 0 ? least : most;
    const share = code / top;
    const value = from * (1 - share) + to * share; // `to - from` may overflow
    return log ? Math.exp(value) : value;
  });
}

/** How far a value may be off: of a logarithmic axis as a factor of it. */
function precisionOf([least, most]: readonly [number, number], { top, log }: Codes): Series['precision'] {
  return log
    ? { by: Math.expm1((Math.log(most) - Math.log(least)) / (2 * top)) || 0, relative: true }
    : { by: most / (2 * top) - least / (2 * top), relative: false };
}
