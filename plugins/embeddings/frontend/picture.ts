import { NO_PIXELS, type PixelSize, type Rgb } from '@insight-host/kit';
import type { Matrix } from '@insight-host/kit/scene';
import { projected, viewMatrix, type Camera, type Projected } from './camera';
import { drawAxes, drawLabels, type Atlas, type Ink, type Label } from './look';
import { Raster } from './raster';
import { Renderer } from './renderer';

/** What is drawn besides points and their colours. */
interface Scene {
  readonly positions: Float32Array;
  readonly flat: boolean;
  readonly background: Rgb;
  readonly ring: Rgb;
  readonly atlas: Atlas | null;
  readonly labels: readonly Label[];
  /** Names of the axes; none: they are not drawn. */
  readonly axes: readonly string[];
  readonly ink: Ink;
  readonly font: string;
}

const SMALLEST = 2.4; // pixels of a point
const LARGEST = 9;
const FRONT = 7; // pixels of a point that stands out, at least
const PICTURES = [14, 44] as const;
const MANY = 2_000; // points that WebGL is too slow for where a processor stands in for the graphics card
const SLOW = 18; // ms of a frame, beyond which fewer pixels are drawn while the picture moves
const COARSEST = 0.35; // of the pixels of each side

/** The canvases of a picture, one upon the other. */
interface Canvases {
  readonly webgl: HTMLCanvasElement;
  readonly plain: HTMLCanvasElement;
  readonly overlay: HTMLCanvasElement;
}

/** Points and labels, drawn once a frame at most. */
export class Picture {
  /** null where the browser has no WebGL 2: the processor draws. */
  private readonly renderer: Renderer | null;
  private readonly raster: Raster;
  private scene: Scene | null = null;
  private camera: Camera | null = null;
  private size: PixelSize = NO_PIXELS;
  private moving = false;
  private frame = 0;
  private before = 0; // when the last frame was drawn
  private coarse = 1; // the share of pixels in each direction while the picture moves
  private seen: Projected | null = null;

  constructor(
    private readonly canvases: Canvases,
    private readonly drawn: () => void,
  ) {
    this.renderer = Renderer.on(canvases.webgl);
    this.raster = new Raster(canvases.plain);
  }

  /** As `Renderer` takes them. */
  color(values: Uint8Array): void {
    this.renderer?.setColors(values);
    this.raster.setColors(values);
    this.schedule();
  }

  /** Points over all others. */
  bringToFront(points: Uint32Array): void {
    this.renderer?.setFront(points);
    this.raster.setFront(points);
    this.schedule();
  }

  show(scene: Scene): void {
    if (scene.positions !== this.scene?.positions) {
      this.renderer?.setPositions(scene.positions);
      this.raster.setPositions(scene.positions);
      this.seen = null;
    }
    this.scene = scene;
    this.schedule();
  }

  look(camera: Camera, moving: boolean): void {
    if (!moving || !this.moving) this.before = 0;
    this.camera = camera;
    this.moving = moving;
    this.seen = null;
    this.schedule();
  }

  resize(size: PixelSize): void {
    this.size = size;
    this.seen = null;
    this.schedule();
  }

  /** Where all points are on the screen. */
  get projected(): Projected | null {
    const { scene, camera, size } = this;
    if (!scene || !camera || size.columns === 0) return null;
    const view = viewMatrix(camera, size.width, size.height, scene.flat);
    return (this.seen ??= projected(view, scene.positions, size.width, size.height));
  }

  schedule(): void {
    this.frame ||= requestAnimationFrame((now) => {
      this.frame = 0;
      this.adapt(now);
      this.draw();
    });
  }

  /** The picture with its labels, as a file. */
  async file(): Promise<Blob> {
    this.moving = false;
    this.draw();
    const { webgl, plain, overlay } = this.canvases;
    const canvas = document.createElement('canvas');
    canvas.width = overlay.width;
    canvas.height = overlay.height;
    const context = canvas.getContext('2d');
    // in the task that drew it: later the browser may have dropped it
    context?.drawImage(webgl.hidden ? plain : webgl, 0, 0);
    context?.drawImage(overlay, 0, 0);
    return new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is empty')))),
    );
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.renderer?.dispose();
    this.raster.dispose();
  }

  /** Where frames take long, as without a graphics card, a moving picture gets fewer pixels. */
  private adapt(now: number): void {
    const took = now - this.before;
    if (this.moving && this.before > 0 && took < 500) {
      if (took > SLOW) this.coarse = Math.max(COARSEST, this.coarse * 0.9);
      else this.coarse = Math.min(1, this.coarse * 1.005);
    }
    this.before = now;
  }

  private draw(): void {
    const { scene, camera, size } = this;
    if (!scene || !camera || size.columns === 0) return;
    const share = this.moving ? this.coarse : 1;
    const drawer = this.drawerOf(scene.positions.length / 3);
    const { webgl, plain } = this.canvases;
    webgl.hidden = drawer !== this.renderer;
    plain.hidden = !webgl.hidden;
    fit(drawer.canvas, Math.max(1, Math.round(size.columns * share)), Math.max(1, Math.round(size.rows * share)));
    const view = viewMatrix(camera, size.width, size.height, scene.flat);
    const pixels = this.pointSize(scene, camera);
    const scale = size.ratio * share;
    drawer.draw(view, { ...scene, size: pixels * scale, frontSize: Math.max(FRONT, pixels * 1.4) * scale });
    this.drawOverlay(scene, view);
    this.drawn();
  }

  private drawerOf(points: number): Renderer | Raster {
    const { renderer, raster } = this;
    return renderer && !renderer.isLost && !(renderer.isSoftware && points > MANY) ? renderer : raster;
  }

  private pointSize({ positions, atlas }: Scene, { zoom }: Camera): number {
    const room = Math.sqrt((this.size.width * this.size.height) / Math.max(1, positions.length / 3));
    const nearer = Math.max(0.6, Math.min(4, Math.sqrt(zoom)));
    if (atlas) return Math.max(PICTURES[0], Math.min(PICTURES[1], room * 0.9)) * nearer;
    return Math.max(SMALLEST, Math.min(LARGEST, room * 0.3)) * nearer;
  }

  private drawOverlay(scene: Scene, view: Matrix): void {
    const { size } = this;
    const { overlay } = this.canvases;
    fit(overlay, size.columns, size.rows);
    const context = overlay.getContext('2d');
    if (!context) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, overlay.width, overlay.height);
    context.scale(size.ratio, size.ratio);
    drawAxes(context, view, scene.axes, size, scene.font, scene.ink);
    const labels = this.moving ? scene.labels.filter(({ isSure }) => isSure) : scene.labels;
    if (labels.length === 0) return;
    const few = new Float32Array(3 * labels.length);
    labels.forEach(({ point }, i) => few.set(scene.positions.subarray(3 * point, 3 * point + 3), 3 * i));
    drawLabels(context, projected(view, few, size.width, size.height), labels, size, scene.font, scene.ink);
  }
}

function fit(canvas: HTMLCanvasElement, width: number, height: number): void {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
