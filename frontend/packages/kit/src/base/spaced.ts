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
