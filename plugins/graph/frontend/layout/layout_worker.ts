/** The worker: one request, one answer. It is ended to cancel what it does. */
import { layOut, type LayoutInput } from './layout';

interface LayoutRequest {
  readonly number: number;
  readonly input: LayoutInput;
}

addEventListener('message', ({ data: { number, input } }: MessageEvent<LayoutRequest>) => {
  try {
    postMessage({ number, layout: layOut(input) });
  } catch (error) {
    postMessage({ number, error: String(error) });
  }
});
