import { codecs, type Page, type Setting } from '@insight-host/kit/lab';
import { batch, computed, signal } from '@preact/signals';
import { turned, type Angles } from './camera';

const SETTLE = 300; // ms without a change before the URL says it
const REST = 180; // ms without a move
const TURN = 24; // degrees a second

/** A camera in the URL, a key for each of its numbers; whether it moves, and turns by itself. */
export class Orbit<C extends Angles & Readonly<Record<keyof C, number>>> {
  private readonly settings: Readonly<Record<keyof C, Setting<number>>>;
  /** Whether the camera moves, until it rests for a moment. */
  readonly moving = signal(false);
  readonly turning = signal(false);
  private rest: ReturnType<typeof setTimeout> | undefined;

  /** `limits` of each number of `first`, where the camera stands at first. */
  constructor(
    page: Page,
    readonly first: C,
    limits: Readonly<Record<keyof C, readonly [low: number, high: number]>>,
  ) {
    const keys = Object.keys(first) as (keyof C & string)[];
    this.settings = Object.fromEntries(
      keys.map((key) => {
        const [low, high] = limits[key];
        return [key, page.setting(key, codecs.number(low, high, first[key]), SETTLE)];
      }),
    ) as typeof this.settings;
    page.until(() => {
      clearTimeout(this.rest);
      this.turning.value = false;
    });
  }

  readonly camera = computed<C>(
    () =>
      Object.fromEntries(Object.entries<Setting<number>>(this.settings).map(([key, { value }]) => [key, value])) as C,
  );

  look(camera: C): void {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => (this.moving.value = false), REST);
    batch(() => {
      this.moving.value = true;
      for (const key of Object.keys(this.settings) as (keyof C)[]) {
        const value = Math.round(camera[key] * 1000) / 1000;
        if (this.settings[key].peek() !== value) this.settings[key].set(value);
      }
    });
  }

  reset(): void {
    this.look(this.first);
  }

  /** Turns the picture until `turning` is false. */
  turn(): void {
    if (this.turning.peek()) return void (this.turning.value = false);
    this.turning.value = true;
    let before: number | null = null;
    const step = (now: number): void => {
      if (!this.turning.peek()) return;
      const passed = before === null ? 0 : Math.min(100, now - before) / 1000;
      before = now;
      this.look(turned(this.camera.peek(), TURN * passed, 0));
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}
