import { codecs, PerCard, type Page, type Setting } from '@insight-host/kit';
import type { Up } from '@insight-host/kit/scene';
import { stepParts } from '@insight-host/kit/steps';
import { computed, signal } from '@preact/signals';
import { FIELD, type Camera, type Lens } from './camera';
import { ShapeCatalogue } from './catalogue';
import { Renderer, type Draw } from './renderer';
import { Frames } from './shape';

export const DRAWS = ['smooth', 'flat', 'wires', 'points'] as const satisfies readonly Draw[];
export const COLORS = ['recorded', 'run', 'x', 'y', 'z'] as const;
type Color = (typeof COLORS)[number];
export const UPS = ['y', 'z'] as const satisfies readonly Up[];
export const SIZES = [1, 20] as const; // CSS pixels of a point

const SETTLE = 300; // ms without a change before the URL says it
const sampleOf = (text: string): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null);

export type MeshParts = ReturnType<typeof meshParts>;

/** Makes the parts of the tab: a card for each shape and run, and a camera for each shape. */
export function meshParts(page: Page) {
  /** Also plain tensors of points, where runs have shapes. */
  const tensors = page.setting('tensors', codecs.flag(false));
  const catalogue = new ShapeCatalogue(page, tensors);
  const parts = stepParts(page, false, { from: signal(catalogue) });
  const up = page.setting('up', codecs.choice<Up>(UPS, 'y'));
  const parallel = page.setting('parallel', codecs.flag(false));
  let made: Renderer | null | undefined;
  page.until(() => made?.dispose());
  return {
    ...parts,
    tensors,
    catalogue,
    up,
    parallel,
    lens: computed<Lens>(() => ({
      up: up.value,
      projection: parallel.value ? 'parallel' : 'perspective',
      field: FIELD,
    })),
    draw: page.setting('draw', codecs.choice<Draw>(DRAWS, 'smooth')),
    color: page.setting('color', codecs.choice<Color>(COLORS, 'recorded')),
    size: page.setting('size', codecs.number(...SIZES, 5), SETTLE),
    /** All runs and steps of a tag have one scale; otherwise each picture fills its card. */
    oneScale: page.setting('scale', codecs.flag(true)),
    /** The shape of a batch that is shown; the first by default. */
    samples: new PerCard(page, 'sample', sampleOf, String, SETTLE),
    cameras: new Cameras(page),
    frames: new Frames(page),
    /** null where the browser has no WebGL 2. */
    renderer(): Renderer | null {
      if (made === undefined || made?.isLost) made = Renderer.create();
      return made;
    },
  };
}

const REST = 200; // ms without a move

/** A camera for each tag: all runs that have the tag are seen by it. */
class Cameras {
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
