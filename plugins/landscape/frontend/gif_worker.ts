/** The worker: adds frames to a GIF and gives the file at the end. */
import { applyPalette, GIFEncoder, quantize } from 'gifenc';

export type GifRequest =
  | { readonly rgba: Uint8ClampedArray; readonly width: number; readonly height: number; readonly delay: number }
  | 'end';
/** After each frame nothing, after the last the file. */
export type GifAnswer = { readonly file?: Uint8Array<ArrayBuffer>; readonly error?: string };

const COLORS = 256;
const encoder = GIFEncoder();

addEventListener('message', ({ data }: MessageEvent<GifRequest>) => {
  const answer = (found: GifAnswer): void => postMessage(found);
  try {
    if (data === 'end') {
      encoder.finish();
      return answer({ file: encoder.bytes() });
    }
    const palette = quantize(data.rgba, COLORS);
    const { width, height, delay } = data;
    encoder.writeFrame(applyPalette(data.rgba, palette), width, height, { palette, delay, repeat: 0 });
    answer({});
  } catch (error) {
    answer({ error: String(error) });
  }
});
