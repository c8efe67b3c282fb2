/** What pictures are made of, and how paths are painted: without the kit, for the page and for a worker. */

export interface PathMark {
  readonly kind: 'path';
  /** SVG path data. */
  readonly d: string;
  readonly fill?: string;
  readonly stroke?: string;
  readonly width?: number;
  readonly opacity?: number;
  /** Nothing of it is seen outside. */
  readonly clip?: Rectangle;
}
export interface TextMark {
  readonly kind: 'text';
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly color: string;
  readonly anchor: 'start' | 'middle' | 'end';
}
interface ImageMark {
  readonly kind: 'image';
  readonly image: HTMLCanvasElement;
  readonly width: number;
  readonly height: number;
}
export type Mark = PathMark | TextMark | ImageMark;

export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly marks: readonly Mark[];
}

const shapes = new WeakMap<PathMark, Path2D>();

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** Paints one path, with lines as the context joins them. */
export function paintPath(context: Context, mark: PathMark): void {
  context.save();
  if (mark.clip) {
    context.beginPath();
    context.rect(mark.clip.left, mark.clip.top, mark.clip.width, mark.clip.height);
    context.clip();
  }
  const shape = shapes.get(mark) ?? new Path2D(mark.d);
  shapes.set(mark, shape);
  context.globalAlpha = mark.opacity ?? 1;
  if (mark.fill) {
    context.fillStyle = mark.fill;
    context.fill(shape, 'evenodd');
  }
  if (mark.stroke) {
    context.strokeStyle = mark.stroke;
    context.lineWidth = mark.width ?? 1;
    context.stroke(shape);
  }
  context.restore();
}
