/** The worker: draws the lines of one picture; a newer picture of the same place ends the one before. */
import { ringsOf, type Grid } from './contours';
import { paintPath } from './mark_types';
import { contourMarks, type Contours } from './plan_lines';

/** Grids are sent once, by number. */
export interface DrawRequest {
  readonly number: number;
  readonly place: string;
  readonly grids: Readonly<Record<number, Grid>>;
  readonly contours: Omit<Contours, 'grids'> & {
    readonly grids: readonly { readonly grid: number; readonly run: string; readonly color: string }[];
  };
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
}
/** Without an image where a newer picture was asked for. */
export type DrawAnswer = { readonly number: number; readonly image?: ImageBitmap; readonly error?: string };

const known = new Map<number, Grid>();
const newest = new Map<string, number>();
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve)); // lets newer requests come in

async function draw({ number, place, contours, width, height, ratio }: DrawRequest): Promise<ImageBitmap | null> {
  const grids = contours.grids.map(({ grid, ...rest }) => ({ ...rest, landscape: known.get(grid) as Grid }));
  for (const { landscape } of grids)
    for (const level of contours.levels) {
      if (newest.get(place) !== number) return null;
      ringsOf(landscape, level); // kept
      await turn();
    }
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio)));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas in a worker');
  context.scale(ratio, ratio);
  context.lineJoin = 'round';
  context.lineCap = 'round';
  for (const mark of contourMarks({ ...contours, grids })) {
    if (newest.get(place) !== number) return null;
    paintPath(context, mark);
    await turn();
  }
  return canvas.transferToImageBitmap();
}

addEventListener('message', ({ data }: MessageEvent<DrawRequest>) => {
  for (const [number, grid] of Object.entries(data.grids)) known.set(Number(number), grid);
  newest.set(data.place, data.number);
  const answer = (found: Omit<DrawAnswer, 'number'>): void =>
    postMessage({ number: data.number, ...found }, { transfer: found.image ? [found.image] : [] });
  draw(data).then(
    (image) => answer(image ? { image } : {}),
    (error: unknown) => answer({ error: String(error) }),
  );
});
