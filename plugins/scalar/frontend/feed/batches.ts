/** Requests for the series of many cards at once. */
import type { Columns, Query, Reason } from '@insight-host/api';
import type { Page } from '@insight-host/kit';
import { decodeDisplay } from './display';
import type { Series } from './series';
import type { Ask } from './query';

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
