import { fitBitmap, pixelsOf, visibleText, watchPixels, type PixelSize } from '@insight-host/kit';
import type { Size } from './area';
import { CanvasPainter } from './canvas_painter';
import { pngOf, svgOf, type Drawing } from './files';
import type { Painter } from './painter';
import { palette, type Palette } from './palette';

/** A chart that is drawn on a screen. */
export interface Drawn<Figure> extends Drawing<Figure> {
  /** What follows the pointer; `redrawn`: the picture below it has just been drawn. */
  drawOverlay(figure: Figure, painter: Painter, colors: Palette, redrawn: boolean): void;
  /** Nothing is known any more of where the pointer is: what was under it is elsewhere. */
  leave(): void;
}

const LEAST = 20; // pixels either way, below which nothing is drawn

/**
 * Two layers in a host, which gives them their size: the picture, and above it what follows the pointer. Laid out when
 * size or contents change, and drawn once a frame at most.
 */
export class Screen<Figure> {
  readonly root = document.createElement('div');
  size: Size = { width: 0, height: 0, ratio: 1, labelled: false };
  private readonly layers = [document.createElement('canvas'), document.createElement('canvas')] as const;
  private painters: readonly CanvasPainter[];
  private readonly stop: () => void;
  private laidOut: Figure | null = null;
  private stale = true; // the picture, not what lies above it
  private frame = 0;

  constructor(
    host: HTMLElement,
    private readonly chart: Drawn<Figure>,
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
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  /** Paints immediately. */
  paint(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { width, height } = this.size;
    if (width < LEAST || height < LEAST) return;
    const [first, overlay] = this.painters as readonly [CanvasPainter, CanvasPainter];
    const redrawn = this.stale;
    this.stale = false;
    const colors = palette(this.chart.caption().theme);
    if (redrawn) {
      first.begin(width, height);
      this.chart.draw(this.figure, first, colors);
    }
    overlay.begin(width, height);
    this.chart.drawOverlay(this.figure, overlay, colors, redrawn);
  }

  toSVG(): string {
    return svgOf(this.chart, this.size);
  }

  toPNG(): Promise<Blob> {
    return pngOf(this.chart, this.size);
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
