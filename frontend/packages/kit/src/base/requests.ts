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
