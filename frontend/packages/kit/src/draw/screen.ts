import { fitBitmap, NO_PIXELS, visibleText, watchPixels, type PixelSize } from '@insight-host/kit/lab';
import type { Size } from './area';
import { CanvasPainter } from './canvas_painter';
import { pngOf, svgOf, type Drawing } from './files';
import { palette, type Painter, type Palette } from './painter';

/** A chart that is drawn on a screen. */
export interface Drawn<Figure> extends Drawing<Figure> {
  /** Whether nothing is known yet that could be drawn: then nothing is. */
  isPending?(): boolean;
  /** Looks up what the pointer is at; whether there is anything to draw above the picture, which may be `redrawn`. */
  follow(figure: Figure, redrawn: boolean): boolean;
  /** What follows the pointer, or what others point at. */
  drawOverlay(figure: Figure, painter: Painter, colors: Palette): void;
  /** Nothing is known any more of where the pointer is: what was under it is elsewhere. */
  leave(): void;
}

const spares: HTMLCanvasElement[] = []; // of charts that are gone: to make a bitmap costs as much as to draw a chart
const SPARES = 30;

class Layer {
  readonly canvas = spares.pop() ?? document.createElement('canvas');
  private made: CanvasPainter | null = null;
  private pixels: PixelSize = NO_PIXELS;

  constructor(root: HTMLElement) {
    this.canvas.style.cssText = 'position:absolute;left:0;top:0;width:100%;height:100%;pointer-events:none';
    this.canvas.setAttribute('aria-hidden', 'true');
    root.append(this.canvas);
  }

  remove(): void {
    this.canvas.remove();
    if (spares.length === SPARES || !this.made) return;
    this.made.begin(this.pixels.width, this.pixels.height); // empty for the next one
    spares.push(this.canvas);
  }

  /** Begins a picture of this size; the bitmap is made for the first one. */
  begin(pixels: PixelSize): CanvasPainter {
    if (pixels !== this.pixels) {
      fitBitmap(this.canvas, pixels);
      [this.made, this.pixels] = [null, pixels];
    }
    this.made ??= CanvasPainter.of(this.canvas, pixels.ratio);
    this.made.begin(pixels.width, pixels.height);
    return this.made;
  }
}

const LEAST = 20; // pixels either way, below which nothing is drawn

/**
 * Two layers in a host, which gives them their size: the picture, and above it what follows the pointer, while there is
 * anything. Laid out when size or contents change, and drawn once a frame at most. The first picture is drawn when the
 * browser has laid out the page: to measure earlier would have it do that for each chart.
 */
export class Screen<Figure> {
  readonly root = document.createElement('div');
  size: Size = { width: 0, height: 0, ratio: 1, labelled: false };
  private pixels: PixelSize = NO_PIXELS;
  private readonly picture: Layer;
  private overlay: Layer | null = null;
  private readonly stop: () => void;
  private laidOut: Figure | null = null;
  private stale = true; // the picture, not what lies above it

  constructor(
    host: HTMLElement,
    private readonly chart: Drawn<Figure>,
  ) {
    this.root.tabIndex = 0;
    this.root.setAttribute('role', 'img');
    this.root.style.cssText =
      'position:relative;width:100%;height:100%;outline-offset:-2px;cursor:crosshair;' +
      'touch-action:pan-y;user-select:none;-webkit-user-select:none';
    this.picture = new Layer(this.root);
    host.append(this.root);
    const stopWatching = watchPixels(this.picture.canvas, (pixels) => this.resize(pixels));
    const redraw = (): void => this.refresh('picture'); // a font has come
    const { fonts } = document as { readonly fonts?: FontFaceSet }; // none in tests
    fonts?.addEventListener('loadingdone', redraw);
    this.stop = () => {
      stopWatching();
      fonts?.removeEventListener('loadingdone', redraw);
    };
  }

  /** The layout of what is drawn. */
  get figure(): Figure {
    return (this.laidOut ??= this.chart.layOut(this.size));
  }

  /** Says what is shown to those who cannot see it. */
  describe(): void {
    this.root.setAttribute('aria-label', visibleText(this.chart.caption().description, true));
  }

  refresh(what: 'picture' | 'overlay'): void {
    if (what === 'picture') {
      this.stale = true;
      this.laidOut = null;
    }
    drawSoon(this.paint);
  }

  toSVG(): string {
    return svgOf(this.chart, this.size);
  }

  toPNG(): Promise<Blob> {
    return pngOf(this.chart, this.size);
  }

  dispose(): void {
    drawNoMore(this.paint);
    this.stop();
    this.picture.remove();
    this.overlay?.remove();
    this.root.remove();
  }

  private readonly paint = (): void => {
    drawNoMore(this.paint);
    const { width, height } = this.size;
    if (width < LEAST || height < LEAST || this.chart.isPending?.()) return;
    const redrawn = this.stale;
    this.stale = false;
    const colors = palette(this.chart.caption().theme);
    if (redrawn) this.chart.draw(this.figure, this.picture.begin(this.pixels), colors);
    if (this.chart.follow(this.figure, redrawn)) {
      this.overlay ??= new Layer(this.root);
      this.chart.drawOverlay(this.figure, this.overlay.begin(this.pixels), colors);
    } else if (this.overlay) {
      this.overlay.remove();
      this.overlay = null;
    }
  };

  private resize(pixels: PixelSize): void {
    this.pixels = pixels;
    const { width, height, ratio } = pixels;
    this.size = { width, height, ratio, labelled: false };
    this.chart.leave();
    this.refresh('picture');
    this.paint(); // immediately: resizing a canvas clears it
  }
}

/** Spreads what is drawn over frames: many charts that change at once do not hold up the page. */

const SHARE = 8; // ms of a frame, after which the others wait for the next one

const waiting = new Set<() => void>();
let frame = 0;

/** Draws in the next frame, once, or in a later one where others come first. */
export function drawSoon(draw: () => void): void {
  waiting.add(draw);
  frame ||= requestAnimationFrame(drawSome);
}

/** No longer draws. */
export function drawNoMore(draw: () => void): void {
  waiting.delete(draw);
}

function drawSome(): void {
  frame = 0;
  const end = performance.now() + SHARE;
  try {
    for (const draw of waiting) {
      waiting.delete(draw);
      draw();
      if (performance.now() > end) return;
    }
  } finally {
    if (waiting.size > 0) frame = requestAnimationFrame(drawSome);
  }
}
