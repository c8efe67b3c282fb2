import { batch, computed, signal } from '@preact/signals';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import { FIRST_CAMERA, HIGHEST, LOWEST, ZOOMS, type Camera } from './camera';

const SETTLE = 300; // ms without a change before the URL says it
const REST = 180; // ms without a move

/** Where all surfaces are looked at from. */
export class Orbit {
  private readonly azimuth: Setting<number>;
  private readonly elevation: Setting<number>;
  private readonly zoom: Setting<number>;
  /** Whether the camera moves, until it rests for a moment. */
  readonly moving = signal(false);
  private rest: ReturnType<typeof setTimeout> | undefined;

  constructor(page: Page) {
    this.azimuth = page.setting('azimuth', codecs.number(-180, 180, FIRST_CAMERA.azimuth), SETTLE);
    this.elevation = page.setting('elevation', codecs.number(LOWEST, HIGHEST, FIRST_CAMERA.elevation), SETTLE);
    this.zoom = page.setting('zoom', codecs.number(...ZOOMS, FIRST_CAMERA.zoom), SETTLE);
    page.until(() => clearTimeout(this.rest));
  }

  readonly camera = computed<Camera>(() => ({
    azimuth: this.azimuth.value,
    elevation: this.elevation.value,
    zoom: this.zoom.value,
  }));

  look({ azimuth, elevation, zoom }: Camera): void {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => (this.moving.value = false), REST);
    this.moving.value = true;
    batch(() => {
      this.azimuth.set(azimuth);
      this.elevation.set(elevation);
      this.zoom.set(zoom);
    });
  }
}
