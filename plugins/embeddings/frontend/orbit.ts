import { batch, computed, signal } from '@preact/signals';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import { FIRST_CAMERA, ZOOMS, type Camera } from './camera';

const SETTLE = 300; // ms without a change before the URL says it
const REST = 180; // ms without a move
const TURN = 24; // degrees a second

/** Where the points are looked at from, in the URL, and whether the picture turns by itself. */
export class Orbit {
  private readonly settings: Readonly<Record<keyof Camera, Setting<number>>>;
  /** Whether the camera moves, until it rests for a moment. */
  readonly moving = signal(false);
  readonly turning = signal(false);
  private rest: ReturnType<typeof setTimeout> | undefined;

  constructor(page: Page) {
    const setting = (key: keyof Camera, low: number, high: number): Setting<number> =>
      page.setting(key, codecs.number(low, high, FIRST_CAMERA[key]), SETTLE);
    this.settings = {
      azimuth: setting('azimuth', -180, 180),
      elevation: setting('elevation', -90, 90),
      zoom: setting('zoom', ...ZOOMS),
      x: setting('x', -50, 50),
      y: setting('y', -50, 50),
    };
    page.until(() => {
      clearTimeout(this.rest);
      this.turning.value = false;
    });
  }

  readonly camera = computed<Camera>(() => {
    const { azimuth, elevation, zoom, x, y } = this.settings;
    return { azimuth: azimuth.value, elevation: elevation.value, zoom: zoom.value, x: x.value, y: y.value };
  });

  look(camera: Camera): void {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => (this.moving.value = false), REST);
    batch(() => {
      this.moving.value = true;
      for (const key of Object.keys(this.settings) as (keyof Camera)[]) {
        const value = Math.round(camera[key] * 1000) / 1000;
        if (this.settings[key].peek() !== value) this.settings[key].set(value);
      }
    });
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
      const camera = this.camera.peek();
      const azimuth = ((camera.azimuth + TURN * passed + 540) % 360) - 180;
      this.look({ ...camera, azimuth });
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}
