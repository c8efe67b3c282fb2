/** Lines of large landscapes, drawn by a worker so that the page goes on. */
import type { Grid } from './contours';
import type { DrawAnswer, DrawRequest } from './contour_worker';
import type { Contours } from './plan_lines';

/** The part of a worker that is used; tests bring their own. */
export interface DrawPort {
  postMessage(message: unknown): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<DrawAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

const LIGHT = 50_000; // points of grids times lines: up to here the page draws faster itself

const startWorker = (): DrawPort =>
  new Worker(new URL('./contour_worker', import.meta.url), { type: 'module', name: 'landscape-contours' });

export class ContourLines {
  private worker: DrawPort | null = null;
  private number = 0;
  private grids = new WeakMap<Grid, number>();
  private readonly waiting = new Map<number, (image: ImageBitmap | null) => void>();
  private isBroken = false;

  constructor(
    private readonly start: () => DrawPort = startWorker,
    private readonly isAble = typeof Worker === 'function' && typeof OffscreenCanvas === 'function',
  ) {}

  /** Whether the worker should draw these lines. */
  isHeavy({ grids, levels }: Contours): boolean {
    const points = grids.reduce((sum, { landscape }) => sum + landscape.z.length, 0);
    return this.isAble && !this.isBroken && points * levels.length > LIGHT;
  }

  /** A picture of `place`; null where a newer one of this place was asked for, or the worker failed. */
  async draw(
    place: string,
    contours: Contours,
    width: number,
    height: number,
    ratio: number,
  ): Promise<ImageBitmap | null> {
    const worker = (this.worker ??= this.open());
    const number = ++this.number;
    const sent: Record<number, Grid> = {};
    const grids = contours.grids.map(({ landscape: { x, y, z }, landscape, run, color }) => {
      let grid = this.grids.get(landscape);
      if (grid === undefined) {
        grid = ++this.number;
        this.grids.set(landscape, grid);
        sent[grid] = { x, y, z };
      }
      return { grid, run, color };
    });
    const request: DrawRequest = { number, place, grids: sent, contours: { ...contours, grids }, width, height, ratio };
    const answer = new Promise<ImageBitmap | null>((resolve) => this.waiting.set(number, resolve));
    worker.postMessage(request);
    return answer;
  }

  end(): void {
    this.worker?.terminate();
    this.worker = null;
    this.grids = new WeakMap();
    for (const resolve of this.waiting.values()) resolve(null);
    this.waiting.clear();
  }

  private open(): DrawPort {
    const worker = this.start();
    worker.onmessage = ({ data: { number, image, error } }) => {
      if (error !== undefined) this.fail();
      this.waiting.get(number)?.(image ?? null);
      this.waiting.delete(number);
    };
    worker.onerror = () => this.fail();
    return worker;
  }

  /** From now on the page draws itself. */
  private fail(): void {
    this.isBroken = true;
    this.end();
  }
}

/** What a worker drew, as a canvas that files can hold, too. */
export function canvasOf(image: ImageBitmap): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  image.close();
  return canvas;
}
