/**
 * Bars as pixels: one line of them for each lane, which the canvas then stretches to its height. Many times faster than
 * a rectangle for each.
 */

export type Color = number; // as a little-endian machine has RGBA in memory

/** Of `#rrggbb`. */
export function colorOf(hex: string, alpha = 1): Color {
  const value = Number.parseInt(hex.slice(1), 16);
  return ((Math.round(alpha * 255) << 24) | ((value & 255) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

export class Strips {
  private readonly canvas = document.createElement('canvas');
  private readonly context = this.canvas.getContext('2d');
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private width = 0;
  private count = 0;
  private readonly places: { readonly y: number; readonly height: number }[] = [];

  /** For `lanes` lines of `width` device pixels. */
  begin(width: number, lanes: number): void {
    this.places.length = 0;
    if (width !== this.width || lanes > this.count) {
      this.width = width;
      this.count = Math.max(lanes + 16, this.count);
      this.canvas.width = width;
      this.canvas.height = this.count;
      this.image = new ImageData(width, this.count);
      this.pixels = new Uint32Array(this.image.data.buffer);
    } else this.pixels.fill(0, 0, lanes * width);
  }

  /** A line that will stand at `y`, in CSS pixels; returns where its pixels begin. */
  line(y: number, height: number): number {
    this.places.push({ y, height });
    return (this.places.length - 1) * this.width;
  }

  get isFull(): boolean {
    return this.places.length >= this.count;
  }

  fill(line: number, from: number, to: number, color: Color): void {
    if (to - from < 8) for (let i = line + from; i < line + to; i++) this.pixels[i] = color;
    else this.pixels.fill(color, line + from, line + to);
  }

  /** Puts the lines where they belong, `left` px from the left of `context`, `width` px wide. */
  draw(context: CanvasRenderingContext2D, left: number, width: number): void {
    if (!this.image || !this.context || this.places.length === 0) return;
    this.context.putImageData(this.image, 0, 0, 0, 0, this.width, this.places.length);
    context.imageSmoothingEnabled = false;
    this.places.forEach(({ y, height }, line) =>
      context.drawImage(this.canvas, 0, line, this.width, 1, left, y, width, height),
    );
  }
}
