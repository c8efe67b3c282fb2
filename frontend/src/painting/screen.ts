import type { Size } from './area';
import { CanvasPainter } from './canvas_painter';

/** A chart that is drawn on a screen. */
export interface Drawn {
  /** Its size or its contents changed: what was worked out of them is worth nothing. */
  forget(): void;
  /** `picture` is null while that layer is as it should be. */
  paint(picture: CanvasPainter | null, overlay: CanvasPainter): void;
}

const LEAST = 20; // pixels either way, below which nothing is drawn

/** Two layers in a host, which gives them their size: the picture, and above it what follows the pointer. Drawn once a frame at most. */
export class Screen {
  readonly root = document.createElement('div');
  size: Size = { width: 0, height: 0, ratio: 1, labelled: false };
  private readonly layers = [document.createElement('canvas'), document.createElement('canvas')] as const;
  private painters: readonly CanvasPainter[];
  private readonly observer: ResizeObserver;
  private stale = true; // the picture, not what lies above it
  private frame = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly chart: Drawn,
  ) {
    this.root.tabIndex = 0;
    this.root.setAttribute('role', 'img');
    this.root.style.cssText = 'position:relative;width:100%;height:100%;outline-offset:-2px;touch-action:pan-y;user-select:none;-webkit-user-select:none;cursor:crosshair';
    for (const canvas of this.layers) {
      canvas.style.cssText = 'position:absolute;left:0;top:0;width:100%;height:100%;pointer-events:none';
      canvas.setAttribute('aria-hidden', 'true');
      this.root.append(canvas);
    }
    host.append(this.root);
    this.painters = this.measure();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
  }

  refresh(what: 'picture' | 'overlay'): void {
    if (what === 'picture') {
      this.stale = true;
      this.chart.forget();
    }
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  /** At once. */
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
    this.observer.disconnect();
    this.root.remove();
  }

  private measure(): CanvasPainter[] {
    const ratio = globalThis.devicePixelRatio || 1;
    this.size = { width: this.host.clientWidth, height: this.host.clientHeight, ratio, labelled: false };
    return this.layers.map((canvas) => {
      [canvas.width, canvas.height] = [Math.round(this.size.width * ratio), Math.round(this.size.height * ratio)];
      return CanvasPainter.of(canvas, ratio);
    });
  }

  private resize(): void {
    const ratio = globalThis.devicePixelRatio || 1;
    if (this.host.clientWidth === this.size.width && this.host.clientHeight === this.size.height && ratio === this.size.ratio) return;
    this.painters = this.measure();
    this.refresh('picture');
    this.paint(); // at once: resizing a canvas empties it
  }
}
