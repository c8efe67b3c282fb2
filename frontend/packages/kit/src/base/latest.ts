import { signal } from '@preact/signals';
import type { RequestQueue } from './requests';
import { message } from './texts';

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
    private readonly queue: RequestQueue,
    private readonly urgency: () => number = () => 0,
  ) {}

  /** Wants the answer to `request`, which `key` names; the same key again asks for nothing. */
  want(key: string, request: (signal: AbortSignal) => Promise<T>): void {
    const again = this.wanted?.key === key && (this.working?.key === key || this.error.value?.key === key);
    this.wanted = { key, request };
    if (again) return;
    clearTimeout(this.again);
    const { working } = this;
    if (this.answer.value?.key === key) working?.stop.abort(); // it is there
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
