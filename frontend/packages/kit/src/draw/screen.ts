import { fitBitmap, pixelsOf, watchPixels, type PixelSize } from '@insight-host/kit';
import type { Size } from './area';
import { CanvasPainter } from './canvas_painter';

/** A chart that is drawn on a screen. */
export interface Drawn {
  /** Its size or its contents changed: what was worked out of them is worth nothing. */
  forget(): void;
  /** Nothing is known any more of where the pointer is: what was under it is elsewhere. */
  leave(): void;
  /** `picture` is null while that layer is as it should be. */
  paint(picture: CanvasPainter | null, overlay: CanvasPainter): void;
}

const LEAST = 20; // pixels either way, below which nothing is drawn

/**
 * Two layers in a host, which gives them their size: the picture, and above it what follows the pointer. Drawn once a
 * frame at most.
 */
export class Screen {
  readonly root = document.createElement('div');
  size: Size = { width: 0, height: 0, ratio: 1, labelled: false };
  private readonly layers = [document.createElement('canvas'), document.createElement('canvas')] as const;
  private painters: readonly CanvasPainter[];
  private readonly stop: () => void;
  private stale = true; // the picture, not what lies above it
  private frame = 0;

  constructor(
    host: HTMLElement,
    private readonly chart: Drawn,
  ) {
    this.root.tabIndex = 0;
    this.root.setAttribute('role', 'img');
    this.root.style.cssText =
      'position:relative;width:100%;height:100%;outline-offset:-2px;touch-action:pan-y;user-select:none;-webkit-user-select:none;cursor:crosshair';
    for (const canvas of this.layers) {
      canvas.style.cssText = 'position:absolute;left:0;top:0;width:100%;height:100%;pointer-events:none';
      canvas.setAttribute('aria-hidden', 'true');
      this.root.append(canvas);
    }
    host.append(this.root);
    this.painters = this.fit(pixelsOf(this.layers[0]));
    this.stop = watchPixels(this.layers[0], (pixels) => this.resize(pixels));
  }

  refresh(what: 'picture' | 'overlay'): void {
    if (what === 'picture') {
      this.stale = true;
      this.chart.forget();
    }
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  /** Paints immediately. */
  paint(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { width, height } = this.size;
    if (width < LEAST || height < LEAST) return;
    const [first, overlay] = this.painters as readonly [CanvasPainter, CanvasPainter];
    const picture = this.stale ? first : null;
    this.stale = false;
    picture?.begin(width, height);
    overlay.begin(width, height);
    this.chart.paint(picture, overlay);
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.stop();
    this.root.remove();
  }

  private fit(pixels: PixelSize): CanvasPainter[] {
    const { width, height, ratio } = pixels;
    this.size = { width, height, ratio, labelled: false };
    return this.layers.map((canvas) => {
      fitBitmap(canvas, pixels);
      return CanvasPainter.of(canvas, ratio);
    });
  }

  private resize(pixels: PixelSize): void {
    const { width, height, ratio } = this.size;
    if (pixels.width === width && pixels.height === height && pixels.ratio === ratio) return;
    this.painters = this.fit(pixels);
    this.chart.leave();
    this.refresh('picture');
    this.paint(); // immediately: resizing a canvas clears it
  }
}
