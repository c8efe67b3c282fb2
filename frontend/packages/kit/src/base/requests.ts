/** How much is asked of the host, and how often: a queue, a throttle, and whether an answer is older than a change. */
import type { ChangedSeries } from './tags';

/**
 * A request queue: at most `limit` run concurrently, most urgent first; requests made in the same tick are compared
 * before any starts.
 */
export class RequestQueue {
  private readonly waiting: { readonly urgency: () => number; readonly start: () => void }[] = [];
  private running = 0;
  private gathering = false;

  constructor(private readonly limit: number) {}

  /** `urgency` is asked when a place is free: the smallest number goes first. */
  run<T>(urgency: () => number, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        this.running++;
        const done = (): void => {
          this.running--;
          this.next();
        };
        request().then(resolve, reject).finally(done);
      };
      const entry = { urgency, start };
      const leave = (): void => {
        const place = this.waiting.indexOf(entry);
        if (place >= 0) this.waiting.splice(place, 1);
        reject(signal.reason);
      };
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(entry);
      if (this.gathering) return;
      this.gathering = true;
      queueMicrotask(() => {
        this.gathering = false;
        this.next();
      });
    });
  }

  private next(): void {
    while (this.running < this.limit && this.waiting.length > 0) {
      let [best, least] = [0, Infinity];
      this.waiting.forEach(({ urgency }, i) => {
        const asked = urgency();
        if (asked < least) [best, least] = [i, asked];
      });
      this.waiting.splice(best, 1)[0]?.start();
    }
  }
}

const LONGEST = 6000; // characters of a URL that proxies still take

/** Splits run names so that each request's URL stays short enough. */
export function portions(runs: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  let room = 0;
  for (const run of runs) {
    const size = encodeURIComponent(run).length + 5;
    if (found.length === 0 || size > room) {
      found.push([]);
      room = LONGEST;
    }
    found.at(-1)?.push(run);
    room -= size;
  }
  return found;
}

/** A throttle: calls `run` when `ask` is called, at most once every `apart` milliseconds. */
export class Spaced {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private before = -Infinity;

  /** If `apart` is a function, it is called each time. */
  constructor(
    private readonly apart: number | (() => number),
    private readonly run: () => void,
  ) {}

  ask(): void {
    if (this.timer !== undefined) return;
    const apart = typeof this.apart === 'number' ? this.apart : this.apart();
    const wait = Math.max(0, this.before + apart - performance.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.before = performance.now();
      this.run();
    }, wait);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

/** Tells whether a cached answer about series is still current: counts reported changes per series. */
export class SeriesClock {
  private time = 0;
  private allChanged = 0;
  private readonly times = new Map<string, number>();

  /** Read it before a request starts: the time of the request's answer. */
  get now(): number {
    return this.time;
  }

  changed(series: ChangedSeries): void {
    this.time += 1;
    if (!series) {
      this.allChanged = this.time;
      this.times.clear();
      return;
    }
    for (const [run, tags] of Object.entries(series))
      for (const tag of tags) this.times.set(keyOf(run, tag), this.time);
  }

  /** Whether none of these series has changed since `time`. */
  isCurrent(time: number, tag: string, runs: readonly string[]): boolean {
    return time >= this.latest(tag, runs);
  }

  /** When one of these series has changed last; 0 if none has. */
  latest(tag: string, runs: readonly string[]): number {
    return runs.reduce((last, run) => Math.max(last, this.times.get(keyOf(run, tag)) ?? 0), this.allChanged);
  }

  /** Whether every change since `time` was reported by series: then an answer of that time can be completed. */
  isKnown(time: number): boolean {
    return time >= this.allChanged;
  }
}

function keyOf(run: string, tag: string): string {
  return `${run}\n${tag}`;
}
