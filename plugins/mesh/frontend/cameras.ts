import { codecs, type Page, type Setting } from '@insight-host/kit';
import { signal } from '@preact/signals';
import type { Camera } from './camera';

const SETTLE = 300; // ms without a move before the URL says it
const REST = 200; // ms without a move

/** A camera for each tag: all runs that have the tag are seen by it. */
export class Cameras {
  private readonly all: Setting<ReadonlyMap<string, Camera>>;
  /** The tag whose camera moves, until it rests for a moment. */
  readonly moving = signal<string | null>(null);
  private rest: ReturnType<typeof setTimeout> | undefined;

  constructor(page: Page) {
    this.all = page.setting('cameras', codecs.byTag(cameraIn, textOf), SETTLE);
    page.until(() => clearTimeout(this.rest));
  }

  /** undefined: where it first stands. */
  of(tag: string): Camera | undefined {
    return this.all.value.get(tag);
  }

  look(tag: string, camera: Camera): void {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => (this.moving.value = null), REST);
    this.moving.value = tag;
    this.all.set(new Map(this.all.value).set(tag, camera));
  }

  lookAll(tags: Iterable<string>, of: (tag: string) => Camera): void {
    this.all.set(new Map([...this.all.value, ...[...tags].map((tag): [string, Camera] => [tag, of(tag)])]));
  }

  /** Back to where it first stood: of one tag or of all. */
  reset(tag?: string): void {
    const next = new Map(this.all.value);
    if (tag === undefined) next.clear();
    else next.delete(tag);
    this.all.set(next);
  }
}

const short = (value: number): string => String(Number(value.toFixed(4)));

export function textOf({ azimuth, elevation, zoom, target }: Camera): string {
  const parts = [azimuth.toFixed(1), elevation.toFixed(1), zoom.toPrecision(4)].map((text) => String(Number(text)));
  return [...parts, ...(target.every((part) => part === 0) ? [] : target.map(short))].join('_');
}

export function cameraIn(text: string): Camera | null {
  const parts = text.split('_').map(Number);
  const [azimuth = NaN, elevation = NaN, zoom = NaN, x = 0, y = 0, z = 0] = parts;
  const isOne =
    parts.every(Number.isFinite) && Math.abs(elevation) <= 90 && zoom > 0 && (parts.length === 3 || parts.length === 6);
  return isOne ? { azimuth, elevation, zoom, target: [x, y, z] } : null;
}
