/** The size of a canvas on the screen: bitmaps of any other size are stretched, which blurs them. */
export interface PixelSize {
  /** Whole device pixels. */
  readonly columns: number;
  readonly rows: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  /** `columns` and `rows` in CSS pixels. */
  readonly width: number;
  readonly height: number;
}

export const NO_PIXELS: PixelSize = { columns: 0, rows: 0, ratio: 1, width: 0, height: 0 };

/** Device pixels that a box from `start` takes: browsers put both of its edges between two pixels. */
export function snapped(start: number, length: number, ratio: number): number {
  return Math.round((start + length) * ratio) - Math.round(start * ratio);
}

/** Measured now, which needs a layout. */
export function pixelsOf(element: Element): PixelSize {
  const ratio = globalThis.devicePixelRatio || 1;
  const { left, top, width, height } = element.getBoundingClientRect();
  return sized(snapped(left, width, ratio), snapped(top, height, ratio), ratio);
}

function sized(columns: number, rows: number, ratio: number): PixelSize {
  return { columns, rows, ratio, width: columns / ratio, height: rows / ratio };
}

/**
 * Calls `listener` with the size of a canvas, soon and whenever it changes; also when only its place or the zoom of the
 * page does.
 */
export function watchPixels(canvas: Element, listener: (size: PixelSize) => void): () => void {
  let known = NO_PIXELS;
  const observer = new ResizeObserver(([entry]) => {
    const box = entry?.devicePixelContentBoxSize?.[0]; // Safari has none
    const size = box ? sized(box.inlineSize, box.blockSize, globalThis.devicePixelRatio || 1) : pixelsOf(canvas);
    if (size.columns === known.columns && size.rows === known.rows && size.ratio === known.ratio) return;
    known = size;
    listener(size);
  });
  try {
    observer.observe(canvas, { box: 'device-pixel-content-box' });
  } catch {
    observer.observe(canvas);
  }
  return () => observer.disconnect();
}

/** Gives a bitmap this size, which empties it; one that has the size already stays as it is. */
export function fitBitmap(canvas: HTMLCanvasElement, { columns, rows }: PixelSize): void {
  if (canvas.width !== columns) canvas.width = columns;
  if (canvas.height !== rows) canvas.height = rows;
}
