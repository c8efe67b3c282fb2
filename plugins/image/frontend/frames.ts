import type { HostError, PluginContext, Query } from '@insight-host/api';
import { message } from '@insight-host/kit';

/** One picture, fetched and decoded: showing it takes no time. */
export interface Frame {
  readonly url: string;
  readonly image: HTMLImageElement;
  readonly width: number;
  readonly height: number;
  /** Made smaller by the server. */
  readonly reduced: boolean;
}

/** A route that answers with a picture, and what to ask it. */
export interface PictureQuery {
  readonly route: 'image' | 'thumbnail';
  readonly query: Query;
}

const MOST_BYTES = 96 << 20; // of decoded pixels, as RGBA
const MOST_REFUSED = 1000;
const UNDECODABLE = 422; // HTTP
const NO_JSON = 'malformed';
const LEAST = 2_000; // bytes that any frame counts

/** Pictures shown of late and those next to them, decoded; bounded by their pixels. */
export class Frames {
  private readonly kept = new Map<string, Frame>();
  private readonly coming = new Map<string, Promise<Frame>>();
  /** Why the server, or the browser, has no picture there; that does not change. */
  private readonly refused = new Map<string, string>();
  private bytes = 0;

  constructor(private readonly ctx: PluginContext) {}

  urlOf({ route, query }: PictureQuery): string {
    return this.ctx.data.href(route, query);
  }

  find(url: string): Frame | undefined {
    const frame = this.kept.get(url);
    if (frame) {
      this.kept.delete(url);
      this.kept.set(url, frame);
    }
    return frame;
  }

  /** Rejects with what the server says of a picture that it does not give, or with `broken`. */
  async load(asked: PictureQuery, signal: AbortSignal, broken: string): Promise<Frame> {
    const url = this.urlOf(asked);
    const known = this.find(url) ?? this.coming.get(url);
    if (known) return known;
    const refused = this.refused.get(url);
    if (refused) throw new Error(refused);
    const image = new Image();
    image.decoding = 'sync';
    image.draggable = false;
    image.alt = '';
    const stop = (): void => void (image.src = '');
    signal.addEventListener('abort', stop, { once: true });
    try {
      image.src = url;
      await image.decode();
    } catch {
      signal.throwIfAborted();
      throw new Error(await this.reason(asked, signal, broken));
    } finally {
      signal.removeEventListener('abort', stop);
    }
    const frame = {
      url,
      image,
      width: image.naturalWidth,
      height: image.naturalHeight,
      reduced: asked.route === 'thumbnail',
    };
    this.keep(frame);
    return frame;
  }

  /** Loads what may be wanted next; a failure is reported when it is. */
  async expect(asked: PictureQuery, broken: string): Promise<void> {
    const url = this.urlOf(asked);
    if (this.kept.has(url) || this.coming.has(url) || this.refused.has(url)) return;
    const coming = this.load(asked, this.ctx.signal, broken);
    this.coming.set(url, coming);
    await coming.catch(() => undefined);
    this.coming.delete(url);
  }

  /** Asks again what was refused. */
  forget(asked: PictureQuery): void {
    this.refused.delete(this.urlOf(asked));
  }

  /** An image element does not tell what the server said: it is asked again, for a text in the user's language. */
  private async reason({ route, query }: PictureQuery, signal: AbortSignal, broken: string): Promise<string> {
    const url = this.urlOf({ route, query });
    try {
      await this.ctx.data.json(route, query, { signal });
    } catch (error) {
      signal.throwIfAborted();
      const { code, status } = error as HostError;
      if (status === UNDECODABLE) return this.refuse(url, message(error));
      if (code !== NO_JSON) throw error;
    }
    return this.refuse(url, broken); // the server does give a picture
  }

  private refuse(url: string, reason: string): string {
    if (this.refused.size >= MOST_REFUSED) this.refused.clear();
    this.refused.set(url, reason);
    return reason;
  }

  private keep(frame: Frame): void {
    const old = this.kept.get(frame.url);
    if (old) this.bytes -= sizeOf(old);
    this.kept.delete(frame.url);
    this.kept.set(frame.url, frame);
    this.bytes += sizeOf(frame);
    for (const [url, least] of this.kept) {
      if (this.bytes <= MOST_BYTES || url === frame.url) break;
      this.kept.delete(url);
      this.bytes -= sizeOf(least);
    }
  }
}

function sizeOf({ width, height }: Frame): number {
  return LEAST + width * height * 4;
}

/** RGBA of one pixel of an image, as the log has it: brightness and contrast of the view do not count. */
export function pixelOf(image: CanvasImageSource, x: number, y: number): readonly [number, number, number, number] {
  const context = scratch(1, 1);
  context.clearRect(0, 0, 1, 1);
  context.drawImage(image, x, y, 1, 1, 0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha];
}

/** RGBA of all pixels. */
export function pixelsOf({ image, width, height }: Frame): Uint8ClampedArray {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('no canvas');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, width, height).data;
}

let one: OffscreenCanvasRenderingContext2D | null = null;

function scratch(width: number, height: number): OffscreenCanvasRenderingContext2D {
  one ??= new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!one) throw new Error('no canvas');
  one.imageSmoothingEnabled = false;
  return one;
}
