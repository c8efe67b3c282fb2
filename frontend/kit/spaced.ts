/** Calls `run` as often as `ask` is called, but never sooner than `apart` milliseconds after the last call. */
export class Spaced {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private before = -Infinity;

  /** A function `apart` is asked each time anew. */
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
