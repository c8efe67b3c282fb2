import type { Matrix } from '@insight-host/kit/scene';
import { DISTANCE } from './camera';
import { FOG, RING, type Atlas, type Look } from './look';

const MOST_PICTURES = 3_000; // that are drawn; of more, points are

/**
 * Draws points into the pixels of a plain canvas. Where a processor stands in for a graphics card, this takes a
 * twentieth of the time that WebGL takes for as many points, and it needs no WebGL at all.
 */
export class Raster {
  private positions: Float32Array = new Float32Array(0);
  private colors: Uint8Array = new Uint8Array(0);
  private front: Uint32Array = new Uint32Array(0);
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private depth = new Float32Array(0);

  constructor(readonly canvas: HTMLCanvasElement) {}

  /** As in `Renderer`. */
  setPositions(values: Float32Array): void {
    this.positions = values;
  }

  setColors(values: Uint8Array): void {
    this.colors = values;
  }

  setFront(points: Uint32Array): void {
    this.front = points;
  }

  draw(view: Matrix, look: Look): void {
    const context = this.canvas.getContext('2d');
    const { width, height } = this.canvas;
    if (!context) return;
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.depth = new Float32Array(width * height);
    }
    this.pixels.fill(packed(...look.background));
    this.depth.fill(Infinity);
    const hasPictures = look.atlas !== null && this.positions.length / 3 <= MOST_PICTURES;
    if (!hasPictures) this.splat(view, look, width, height);
    context.putImageData(this.image, 0, 0);
    if (hasPictures && look.atlas) this.paste(context, view, look, look.atlas, width, height);
    else for (const point of this.front) this.ring(context, view, look, point, width, height);
  }

  dispose(): void {
    this.image = null;
    this.pixels = new Uint32Array(0);
    this.depth = new Float32Array(0);
  }

  /** All points, the nearest in front. */
  private splat(view: Matrix, { size, flat, background }: Look, width: number, height: number): void {
    const { positions, colors, pixels, depth } = this;
    const [m0, m1, m3] = [view[0] as number, view[1] as number, view[3] as number];
    const [m4, m5, m7] = [view[4] as number, view[5] as number, view[7] as number];
    const [m8, m9, m11] = [view[8] as number, view[9] as number, view[11] as number];
    const [m12, m13, m15] = [view[12] as number, view[13] as number, view[15] as number];
    const [br, bg, bb] = background;
    const { from, length, most } = FOG;
    // no destructuring in here: it makes an array for each point
    for (let at = 0, c = 0; c < colors.length; at += 3, c += 4) {
      if (colors[c + 3] === 0) continue;
      const x = positions[at] as number;
      const y = positions[at + 1] as number;
      const z = positions[at + 2] as number;
      const w = m3 * x + m7 * y + m11 * z + m15;
      if (w < NEAREST) continue;
      const side = flat ? size : Math.min(MOST_SIDE, (size * DISTANCE) / w);
      const half = side / 2;
      const px = ((m0 * x + m4 * y + m8 * z + m12) / w + 1) * 0.5 * width;
      const py = (1 - (m1 * x + m5 * y + m9 * z + m13) / w) * 0.5 * height;
      if (!(px + half > 0 && py + half > 0 && px - half < width && py - half < height)) continue;
      const whole = Math.max(1, (side + 0.5) | 0);
      const left = Math.max(0, (px - half + 0.5) | 0);
      const top = Math.max(0, (py - half + 0.5) | 0);
      const right = Math.min(width, left + whole);
      const bottom = Math.min(height, top + whole);
      const away = flat ? 0 : most * Math.max(0, Math.min(1, (w - from) / length));
      const r = (colors[c] as number) * (1 - away) + br * away;
      const g = (colors[c + 1] as number) * (1 - away) + bg * away;
      const b = (colors[c + 2] as number) * (1 - away) + bb * away;
      const color = 0xff000000 | (b << 16) | (g << 8) | r;
      const reach = side < ROUND_FROM ? Infinity : half * half;
      for (let row = top; row < bottom; row++) {
        const dy = row + 0.5 - py;
        const end = row * width + right;
        let dx = left + 0.5 - px;
        for (let place = row * width + left; place < end; place++, dx++) {
          if (w > (depth[place] as number) || dx * dx + dy * dy > reach) continue;
          depth[place] = w;
          pixels[place] = color;
        }
      }
    }
  }

  /** The picture of each point, the farthest first, those that stand out last. */
  private paste(
    context: CanvasRenderingContext2D,
    view: Matrix,
    look: Look,
    { image, width: wide, height: high }: Atlas,
    width: number,
    height: number,
  ): void {
    const columns = Math.max(1, Math.floor(image.naturalWidth / wide));
    const places = [...new Uint32Array(this.positions.length / 3).keys()].filter((i) => this.colors[4 * i + 3]);
    const seen = places.map((i) => ({ i, ...this.placeOf(view, i, width, height) }));
    const front = new Set(this.front);
    seen.sort((one, other) => Number(front.has(one.i)) - Number(front.has(other.i)) || other.w - one.w);
    context.imageSmoothingEnabled = false;
    for (const { i, x, y, w } of seen) {
      if (w < NEAREST) continue;
      const side = look.flat ? look.size : Math.min(MOST_SIDE, (look.size * DISTANCE) / w);
      const [r, g, b, strength] = this.colors.subarray(4 * i, 4 * i + 4);
      context.fillStyle = `rgb(${r}, ${g}, ${b})`;
      context.fillRect(x - side / 2, y - side / 2, side, side);
      context.globalAlpha = (strength ?? 255) / 255;
      const edge = side * 0.07;
      context.drawImage(
        image,
        (i % columns) * wide,
        Math.floor(i / columns) * high,
        wide,
        high,
        x - side / 2 + edge,
        y - side / 2 + edge,
        side - 2 * edge,
        side - 2 * edge,
      );
      context.globalAlpha = 1;
    }
  }

  /** A point over all others. */
  private ring(
    context: CanvasRenderingContext2D,
    view: Matrix,
    { frontSize, flat, ring }: Look,
    point: number,
    width: number,
    height: number,
  ): void {
    const { x, y, w } = this.placeOf(view, point, width, height);
    if (w < NEAREST) return;
    const side = flat ? frontSize : Math.min(MOST_SIDE, (frontSize * DISTANCE) / w);
    const [r, g, b] = this.colors.subarray(4 * point, 4 * point + 3);
    context.lineWidth = RING / 2;
    context.strokeStyle = `rgb(${ring.join()})`;
    context.fillStyle = `rgb(${r}, ${g}, ${b})`;
    context.beginPath();
    context.arc(x, y, side / 2 + RING / 4, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }

  private placeOf(m: Matrix, point: number, width: number, height: number): { x: number; y: number; w: number } {
    const [x, y, z] = this.positions.subarray(3 * point, 3 * point + 3) as unknown as [number, number, number];
    const row = (k: number): number =>
      (m[k] as number) * x + (m[4 + k] as number) * y + (m[8 + k] as number) * z + (m[12 + k] as number);
    const w = row(3);
    return { x: (row(0) / w + 1) * 0.5 * width, y: (1 - row(1) / w) * 0.5 * height, w };
  }
}

const NEAREST = 0.05;
const MOST_SIDE = 96; // pixels
const ROUND_FROM = 4.5; // pixels: smaller circles look like squares anyway

const packed = (r: number, g: number, b: number): number => (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
