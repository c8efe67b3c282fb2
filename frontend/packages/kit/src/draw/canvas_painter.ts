import { visibleText } from '@insight-host/kit/lab';
import { estimatedWidth, FONT, type Painter, type Polylines, type Stroke, type TextStyle } from './painter';

export class CanvasPainter implements Painter {
  readonly hairline: number;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly ratio: number,
    private readonly font = FONT,
  ) {
    this.hairline = 1 / ratio;
  }

  static of(canvas: HTMLCanvasElement, ratio: number, font = FONT): CanvasPainter {
    const context = canvas.getContext('2d');
    if (!context) throw new Error('This browser gives no 2D canvas.');
    return new CanvasPainter(context, ratio, font);
  }

  /** Empties the canvas and starts a picture of the given size in CSS pixels. */
  begin(width: number, height: number, background?: string): void {
    const context = this.context;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (background) this.rectangle(0, 0, width, height, background);
    context.lineJoin = 'bevel';
  }

  polylines(lines: Polylines, stroke: Stroke): void {
    const { context } = this;
    const { points, starts, end } = lines;
    this.apply(stroke);
    context.beginPath();
    for (let s = 0; s < starts.length; s++) {
      const from = starts[s] as number;
      const to = starts[s + 1] ?? end;
      if (to - from < 2) continue;
      context.moveTo(points[2 * from] as number, points[2 * from + 1] as number);
      for (let i = from + 1; i < to; i++) context.lineTo(points[2 * i] as number, points[2 * i + 1] as number);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  segment(x1: number, y1: number, x2: number, y2: number, stroke: Stroke): void {
    const { context } = this;
    this.apply(stroke);
    // A line one device pixel wide is crisp only in the middle of a row or column of pixels.
    const crisp = (v: number): number => (Math.floor(v * this.ratio) + 0.5) / this.ratio;
    const [sameX, sameY] = [x1 === x2, y1 === y2];
    context.beginPath();
    context.moveTo(sameX ? crisp(x1) : x1, sameY ? crisp(y1) : y1);
    context.lineTo(sameX ? crisp(x2) : x2, sameY ? crisp(y2) : y2);
    context.stroke();
    context.globalAlpha = 1;
  }

  polygon(points: Float64Array | readonly number[], color: string, alpha = 1): void {
    const { context } = this;
    context.beginPath();
    for (let i = 0; i + 1 < points.length; i += 2) context.lineTo(points[i] as number, points[i + 1] as number);
    context.closePath();
    context.globalAlpha = alpha;
    context.fillStyle = color;
    context.fill();
    context.globalAlpha = 1;
  }

  circle(x: number, y: number, radius: number, color: string): void {
    const { context } = this;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
  }

  rectangle(x: number, y: number, width: number, height: number, color: string): void {
    this.context.fillStyle = color;
    this.context.fillRect(x, y, width, height);
  }

  text(x: number, y: number, name: string, style: TextStyle): void {
    const text = visibleText(name);
    const { context } = this;
    const size = style.size ?? 11;
    context.font = `${style.weight === 'bold' ? '600 ' : ''}${size}px ${this.font}`;
    context.textAlign = style.align ?? 'left';
    context.textBaseline = style.baseline ?? 'middle';
    context.fillStyle = style.color;
    const wide = style.maxWidth !== undefined && estimatedWidth(text, size) > style.maxWidth * 0.9;
    const draw = (left: number, top: number): void => {
      if (wide) context.fillText(text, left, top, style.maxWidth);
      else context.fillText(text, left, top);
    };
    if (!style.turned) return draw(x, y);
    context.save();
    context.rotate(-Math.PI / 2);
    draw(-y, x);
    context.restore();
  }

  clipped(x: number, y: number, width: number, height: number, draw: () => void): void {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    draw();
    context.restore();
  }

  private apply(stroke: Stroke): void {
    const { context } = this;
    context.strokeStyle = stroke.color;
    context.lineWidth = stroke.width;
    context.globalAlpha = stroke.alpha ?? 1;
    context.setLineDash(stroke.dash ? [...stroke.dash] : []);
  }
}
