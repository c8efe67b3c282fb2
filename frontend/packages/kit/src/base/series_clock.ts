import type { ChangedSeries } from './tags';

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
