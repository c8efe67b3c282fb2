/** Writes an animation as GIF, frame by frame, in a worker. */
import type { GifAnswer, GifRequest } from './gif_worker';

export interface Frame {
  readonly canvas: HTMLCanvasElement;
  /** How long it is shown. */
  readonly milliseconds: number;
}

/** The part of a worker that is used; tests bring their own. */
export interface GifPort {
  postMessage(message: GifRequest, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<GifAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

const startWorker = (): GifPort =>
  new Worker(new URL('./gif_worker.ts', import.meta.url), { type: 'module', name: 'landscape-gif' });

/**
 * The file. `draw(n)` gives the n-th frame; all are of one size. One frame is encoded while the next is drawn, no more
 * are in memory. Rejects when `signal` is aborted.
 */
export async function gifOf(
  count: number,
  draw: (frame: number) => Frame | Promise<Frame>,
  signal: AbortSignal,
  onFrame: (done: number) => void,
  start: () => GifPort = startWorker,
): Promise<Blob> {
  const worker = start();
  const ask = (request: GifRequest, transfer: Transferable[] = []): Promise<GifAnswer> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => (data.error === undefined ? resolve(data) : reject(new Error(data.error)));
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage(request, transfer);
    });
  try {
    let before: Promise<GifAnswer> | null = null;
    for (let frame = 0; frame < count; frame++) {
      signal.throwIfAborted();
      const { canvas, milliseconds } = await draw(frame);
      const { width, height } = canvas;
      const pixels = canvas.getContext('2d', { willReadFrequently: true })?.getImageData(0, 0, width, height);
      if (!pixels) throw new Error('no canvas');
      await before;
      before = ask({ rgba: pixels.data, width, height, delay: milliseconds }, [pixels.data.buffer]);
      before.catch(() => undefined); // awaited with the next frame
      onFrame(frame + 1);
      await new Promise((resolve) => setTimeout(resolve)); // the page goes on
    }
    await before;
    const { file } = await ask('end');
    if (!file) throw new Error('no file');
    return new Blob([file], { type: 'image/gif' });
  } finally {
    worker.terminate();
  }
}
