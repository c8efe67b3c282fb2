/** A chart in an element of the page, and the size of its canvas on the screen. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** A chart in an element of the page. */
export interface Chart<Props> {
  update(props: Props): void;
  toSVG(): string;
  toPNG(): Promise<Blob>;
  dispose(): void;
}

/**
 * A chart in a component: made after the component's first frame, updated in each frame that renders it, and made
 * again when `about` changes. The element gets `data-ready` with its chart, which `chart` holds.
 */
export function useChart<Props, Made extends Chart<Props>>(
  mount: (host: HTMLElement, props: Props) => Made,
  props: Props,
  host: { readonly current: HTMLElement | null },
  chart: { current: Made | null },
  about?: unknown,
): void {
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    chart.current = mount(element, latest.current);
    element.dataset['ready'] = '1';
    return () => {
      chart.current?.dispose();
      chart.current = null;
    };
  }, [about]);
  useLayoutEffect(() => chart.current?.update(latest.current));
}

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
    const measured = pixelsOf(canvas); // the page has just been laid out
    // while another screen is emulated, boxes are still those of the real one
    const isOfScreen = box && near(box.inlineSize, measured.columns) && near(box.blockSize, measured.rows);
    const size = isOfScreen ? sized(box.inlineSize, box.blockSize, measured.ratio) : measured;
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

const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1;

/** Gives a bitmap this size, which empties it; one that has the size already stays as it is. */
export function fitBitmap(canvas: HTMLCanvasElement, { columns, rows }: PixelSize): void {
  if (canvas.width !== columns) canvas.width = columns;
  if (canvas.height !== rows) canvas.height = rows;
}
