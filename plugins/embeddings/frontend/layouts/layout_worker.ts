/** Lays points out beside the page, and tells it several times a second where they are. */
import { random, type FromWorker, type Layout, type Start, type ToWorker } from './graph';
import { tsne } from './tsne';
import { umap } from './umap';

const PIECE = 50; // ms of work before messages of the page are looked at
const FRAME = 250; // ms between two pictures: the page has other work, too

let layout: Layout | null = null;
let runs = true;
let done = 0;
let shown = 0;
let isWorking = false;

/** Components at the size at which a method wants points to begin, and a little apart from each other. */
function beginning({ method, begin, dimensions }: Start): Float64Array {
  let most = 0;
  let squares = 0;
  for (let i = 0; i < begin.length; i++) {
    most = Math.max(most, Math.abs(begin[i] as number));
    if (i % dimensions === 0) squares += (begin[i] as number) ** 2;
  }
  const spread = Math.sqrt(squares / Math.max(1, begin.length / dimensions));
  const scale = method === 'umap' ? 10 / (most || 1) : 1e-4 / (spread || 1);
  const noise = method === 'umap' ? 1e-4 : 1e-6;
  const draw = random(7);
  return Float64Array.from(begin, (value) => value * scale + (draw() - 0.5) * noise);
}

function tell(): void {
  if (!layout) return;
  shown = performance.now();
  const places = Float32Array.from(layout.places);
  const message: FromWorker = { places, done, steps: layout.steps };
  postMessage(message, { transfer: [places.buffer] });
}

function work(): void {
  isWorking = false;
  if (!layout || !runs || done >= layout.steps) return;
  const end = performance.now() + PIECE;
  do {
    layout.step();
    done++;
  } while (done < layout.steps && performance.now() < end);
  if (done === layout.steps || performance.now() - shown >= FRAME) tell();
  goOn();
}

function goOn(): void {
  if (isWorking) return;
  isWorking = true;
  setTimeout(work);
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if ('start' in data) {
    const { start } = data;
    const places = beginning(start);
    const make = start.method === 'umap' ? umap : tsne;
    layout = make(start, places, start.dimensions, start.method === 'umap' ? start.minDist : start.perplexity);
    done = 0;
    tell();
  } else ({ runs } = data);
  goOn();
});
