/** Runs `run` as often as `ask` is called, but never twice within `apart` milliseconds. */
export class Spaced {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private before = -Infinity;

  constructor(
    private readonly apart: number,
    private readonly run: () => void,
  ) {}

  ask(): void {
    if (this.timer !== undefined) return;
    const wait = Math.max(0, this.before + this.apart - performance.now());
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
