import { codecs, PerCard, type Page } from '@insight-host/kit';
import { stepParts } from '@insight-host/kit/steps';
import { computed, signal } from '@preact/signals';
import { Cameras } from './cameras';
import type { Up } from '@insight-host/kit/scene';
import { FIELD, type Lens } from './camera';
import { ShapeCatalogue } from './catalogue';
import { Frames } from './frames';
import { Renderer, type Draw } from './renderer';

export const DRAWS = ['smooth', 'flat', 'wires', 'points'] as const satisfies readonly Draw[];
export const COLORS = ['recorded', 'run', 'x', 'y', 'z'] as const;
export type Color = (typeof COLORS)[number];
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
