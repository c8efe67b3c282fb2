import { signal } from '@preact/signals';
import type { TrainingPath } from './landscape';

const PACE = 1.5; // points of the path a second, at speed 1
const LONGEST = 12; // seconds that a whole path takes at most, at speed 1
export const SPEEDS = [0.5, 1, 2, 4] as const;

/** Where on the path of training the picture stands; without a word of the user at its end. */
export class Player {
  /** Index of a point of the path, or between two; Infinity is the end. */
  readonly progress = signal(Infinity);
  readonly playing = signal(false);
  readonly speed = signal<number>(1);
  private frame = 0;
  private before = 0;

  constructor(private readonly path: () => TrainingPath | null) {}

  get last(): number {
    return Math.max(0, (this.path()?.at.length ?? 1) - 1);
  }

  toggle(): void {
    if (this.playing.value) this.pause();
    else this.play();
  }

  play(): void {
    if (this.last === 0) return;
    if (this.progress.value >= this.last) this.progress.value = 0;
    this.playing.value = true;
    this.before = performance.now();
    this.frame = requestAnimationFrame(this.move);
  }

  pause(): void {
    cancelAnimationFrame(this.frame);
    this.playing.value = false;
  }

  /** To a place; at the end it stays when the path grows. */
  seek(progress: number): void {
    this.pause();
    this.progress.value = progress >= this.last ? Infinity : Math.max(0, progress);
  }

  reset(): void {
    this.pause();
    this.progress.value = Infinity;
  }

  /** Moves on by some ms; true until the end is reached. */
  advance(ms: number): boolean {
    const pace = Math.max(PACE, this.last / LONGEST) * this.speed.value;
    const next = Math.min(this.progress.value, this.last) + (pace * ms) / 1000;
    this.progress.value = next >= this.last ? Infinity : next;
    return next < this.last;
  }

  private readonly move = (now: number): void => {
    const going = this.advance(Math.min(200, now - this.before));
    this.before = now;
    if (going) this.frame = requestAnimationFrame(this.move);
    else this.playing.value = false;
  };
}
