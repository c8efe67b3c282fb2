import { signal, type ReadonlySignal as Live, type Signal } from '@preact/signals';
import type { Page } from '@insight-host/kit';
import type { Box } from './shape';
import type { Point } from '@insight-host/kit/scene';

const MOST_RUNS = 100; // of one question

interface Answer {
  readonly low: readonly (number | string)[];
  readonly high: readonly (number | string)[];
}

/** The box of a tag; `failed`: each shape is seen in its own. */
export type Frame = Box | 'failed';

interface Entry {
  asked: string;
  readonly frame: Signal<Frame | null>;
}

/** The box around each tag in the selected runs, at all steps: what cameras show, and colours of coordinates span. */
export class Frames {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly page: Page) {}

  /** null until the first answer; the old one stays until a newer one is there. */
  of(tag: string): Live<Frame | null> {
    return this.entry(tag).frame;
  }

  async want(tag: string, runs: readonly string[], attempts: string): Promise<void> {
    const query = { tag, run: runs.slice(0, MOST_RUNS), attempts };
    const asked = JSON.stringify(query);
    const entry = this.entry(tag);
    if (entry.asked === asked || runs.length === 0) return;
    entry.asked = asked;
    const { ctx } = this.page;
    let frame: Frame = 'failed';
    try {
      const { low, high } = await ctx.data.json<Answer>('frame', query, { signal: ctx.signal });
      const point = (part: readonly (number | string)[]): Point => part.map(Number) as unknown as Point;
      frame = { low: point(low), high: point(high) };
    } catch {
      if (entry.asked === asked) entry.asked = ''; // the next card asks again
    }
    if (entry.asked === asked || frame === 'failed')
      entry.frame.value = frame === 'failed' ? (entry.frame.value ?? frame) : frame;
  }

  private entry(tag: string): Entry {
    let entry = this.entries.get(tag);
    if (!entry) this.entries.set(tag, (entry = { asked: '', frame: signal(null) }));
    return entry;
  }
}
