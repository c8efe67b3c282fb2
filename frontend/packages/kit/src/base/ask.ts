/** What a component asks the host: one question at a time, the latest next, and the old answer until then. */
import { signal } from '@preact/signals';
import { RequestQueue } from './requests';
import { message } from './texts';
import { useEffect, useMemo, useRef } from 'preact/hooks';

const PATIENCE = 400; // ms that a request may still take after something else is wanted
const FIRST_PAUSE = 1000; // ms before what failed because the host was away is asked for again
const LONGEST_PAUSE = 8000;

export interface Answer<T> {
  /** Of what was wanted. */
  readonly key: string;
  readonly value: T;
}
export interface Failure {
  readonly key: string;
  readonly reason: string;
  /** Nobody answered: it is asked for again. */
  readonly isAway: boolean;
}

/**
 * What one card wants to know: one request at a time, and the latest wish next. The old answer stays
 * until a newer one is there; while a slider is dragged, answers come as fast as the server gives them.
 * Where the host did not answer, it is asked again until it does.
 */
export class Latest<T> {
  readonly answer = signal<Answer<T> | null>(null);
  /** Of the latest wish, or of one before it while that is under way. */
  readonly error = signal<Failure | null>(null);
  readonly busy = signal(false);
  private wanted: { readonly key: string; readonly request: (signal: AbortSignal) => Promise<T> } | null = null;
  private working: { readonly key: string; readonly stop: AbortController } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private pause = FIRST_PAUSE;

  /** `urgency` is that of the queue: the smallest goes first. */
  constructor(
    private readonly queue: RequestQueue = new RequestQueue(1),
    private readonly urgency: () => number = () => 0,
  ) {}

  /** Wants the answer to `request`, which `key` names; the same key again asks for nothing. */
  want(key: string, request: (signal: AbortSignal) => Promise<T>): void {
    const again = this.wanted?.key === key && (this.working?.key === key || this.error.peek()?.key === key);
    this.wanted = { key, request };
    if (again) return;
    clearTimeout(this.again);
    const { working } = this;
    if (this.answer.peek()?.key === key) working?.stop.abort(); // it is there
    else if (!working) void this.work();
    else if (working.key !== key)
      this.timer ??= setTimeout(() => this.wanted?.key !== working.key && working.stop.abort(), PATIENCE);
  }

  retry(): void {
    if (this.wanted && !this.working) void this.work();
  }

  /** The card left the screen: what is under way ends. */
  rest(): void {
    this.wanted = null;
    clearTimeout(this.again);
    this.working?.stop.abort();
  }

  /** Nothing is wanted, and the last answer is gone. */
  forget(): void {
    this.rest();
    this.answer.value = null;
    this.error.value = null;
  }

  private async work(): Promise<void> {
    const { wanted } = this;
    if (!wanted) return;
    clearTimeout(this.again);
    const stop = new AbortController();
    this.working = { key: wanted.key, stop };
    this.busy.value = true;
    try {
      const value = await this.queue.run(this.urgency, stop.signal, () => wanted.request(stop.signal));
      if (!stop.signal.aborted) {
        this.answer.value = { key: wanted.key, value };
        this.error.value = null;
        this.pause = FIRST_PAUSE;
      }
    } catch (error) {
      if (!stop.signal.aborted) {
        const away = isAway(error);
        this.error.value = {
          key: wanted.key,
          isAway: away,
          get reason() {
            return message(error); // in the language that the page has then
          },
        };
        if (away) {
          this.again = setTimeout(() => this.retry(), this.pause);
          this.pause = Math.min(LONGEST_PAUSE, this.pause * 2);
        }
      }
    }
    clearTimeout(this.timer);
    this.timer = undefined;
    this.working = null;
    this.busy.value = false;
    const left = stop.signal.aborted || this.wanted?.key !== wanted.key;
    if (this.wanted && left && this.wanted.key !== this.answer.value?.key) void this.work();
  }
}

/** Nobody answered, or the host has no data for the time being. */
export function isAway(error: unknown): boolean {
  const status = statusOf(error);
  return error instanceof TypeError /* what `fetch` throws */ || status === 0 || status === 503;
}

/** The HTTP status of an answer that is not data, 0 without an answer; null for any other error. */
export function statusOf(error: unknown): number | null {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : null;
}

/** What a question brings. */
export interface Asked<T> {
  /** The answer to the question, or until it is there the one before. */
  readonly value: T | null;
  /** Whether `value` answers the question. */
  readonly isFresh: boolean;
  /** The error if the question could not be answered. */
  readonly error: string | null;
  /** The host is away: it is asked again by itself. */
  readonly waits: boolean;
  /** The answer is under way. */
  readonly busy: boolean;
  retry(): void;
}

export interface AskOptions<T> {
  /** With whose requests it shares the limit of requests at a time; without it, with nobody's. */
  readonly queue?: RequestQueue;
  /** That of the queue: the smallest goes first. */
  readonly urgency?: () => number;
  /** False: nothing is asked for now, as while another tab is in front. */
  readonly visible?: boolean;
  /** What the questions are about: answers about another are forgotten. */
  readonly about?: string;
  /** Whether the last answer stays also while nothing is asked for. */
  readonly keeps?: boolean;
  /** Milliseconds without another question before one is asked; `took` is how long the last answer took, 0 at first. */
  readonly rest?: (took: number) => number;
  /** Whether the same is asked again after a second, because its answer will change. */
  readonly poll?: (answer: T) => boolean;
}

const POLL = 1000; // ms

/**
 * What a question brings; the last answer stays until the next is there. `key` names the question, null asks for
 * nothing.
 */
export function useAnswer<T>(
  key: string | null,
  ask: (signal: AbortSignal) => Promise<T>,
  { queue, urgency, visible = true, about, keeps = false, rest, poll }: AskOptions<T> = {},
): Asked<T> {
  const latest = useMemo(() => new Latest<T>(queue, urgency), [queue, about]);
  const took = useRef(0);
  const wanted = visible ? key : null;
  useEffect(() => {
    if (wanted === null) return undefined;
    const timed = async (signal: AbortSignal): Promise<T> => {
      const begun = performance.now();
      try {
        return await ask(signal);
      } finally {
        took.current = performance.now() - begun;
      }
    };
    const wait = rest?.(took.current) ?? 0;
    if (wait <= 0) return latest.want(wanted, timed);
    const timer = setTimeout(() => latest.want(wanted, timed), wait);
    return () => clearTimeout(timer);
  }, [latest, wanted]);
  useEffect(() => () => latest.rest(), [latest]);
  const { value: answer } = latest.answer;
  const isFresh = key !== null && answer?.key === key;
  const failure = latest.error.value?.key === key ? latest.error.value : null;
  const polls = visible && isFresh && poll?.(answer.value) === true;
  useEffect(() => {
    if (!polls) return undefined;
    const timer = setTimeout(() => latest.retry(), POLL);
    return () => clearTimeout(timer);
  }, [latest, polls, answer]);
  return {
    value: answer && (keeps || key !== null) ? answer.value : null,
    isFresh,
    error: failure?.reason ?? null,
    waits: failure?.isAway ?? false,
    busy: key !== null && !failure && !isFresh,
    retry: () => latest.retry(),
  };
}
