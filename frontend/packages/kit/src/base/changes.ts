/** How changes of data reach what is drawn: not too often, and known to be older or newer than an answer. */
import type { ChangedSeries } from './tags';

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
