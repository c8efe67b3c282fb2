import type { Query, TagInfo } from '@insight-host/api';
import { PerCard, type CardKey, type Page } from '@insight-host/kit';
import { recordQuery, stepParts, type Records } from '@insight-host/kit/steps';
import { Frames, type PictureQuery } from './frames';
import { Lights } from './light';
import { Comparing, Zooms } from './zooms';

/** Whether a record may hold several pictures. */
export const hasBatches = (info: TagInfo): boolean => info.claims.includes('plugin:images');

export const LARGE = 2 << 20; // bytes of a record from which a card shows a smaller picture
const REDUCED = 512; // pixels of that, each way
const SETTLE = 300; // ms without a change before the URL says it

const sampleOf = (text: string): number | null => (/^\d{1,6}$/.test(text) ? Number(text) : null);

export type ImageParts = ReturnType<typeof imageParts>;

/** Makes the parts of the image tab. */
export function imageParts(page: Page) {
  const parts = stepParts(page);
  const comparing = new Comparing(page, parts.cards);
  return {
    ...parts,
    comparing,
    lights: new Lights(page),
    zooms: new Zooms(page, parts.cards, comparing),
    /** The picture of a record that is shown; the first by default. */
    samples: new PerCard(page, 'sample', sampleOf, String, SETTLE),
    frames: new Frames(page.ctx),
  };
}

/** The query for one picture of a record. */
export function queryOf(card: CardKey, records: Records, index: number, sample: number): Query {
  return { ...recordQuery(card, records, index), sample: sample || null };
}

/** `whole`: the picture itself, however large its file is. */
export function pictureOf(
  card: CardKey,
  records: Records,
  index: number,
  sample: number,
  whole: boolean,
): PictureQuery {
  const query = queryOf(card, records, index, sample);
  const reduced = !whole && (records.sizes[index] ?? 0) > LARGE;
  return reduced ? { route: 'thumbnail', query: { ...query, size: REDUCED } } : { route: 'image', query };
}
