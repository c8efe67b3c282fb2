/** The horizontal axis of cards: a step, a time, or an expression over tags; and where the cursor is on it. */
import type { Codec, CursorAt } from '@insight-host/api';
import type { ChangedSeries, Page } from '@insight-host/kit';
import type { XKind } from '@insight-host/kit/draw';
import type { LineChartProps } from '@insight-host/kit/lines';
import { signal, type ReadonlySignal as Live } from '@preact/signals';
import { expressionOf, plainTag, tagsIn, type Derived } from '../derived';

/** Along a metric it is `=` and an expression as the host writes it. */
export type Axis = XKind | Metric;
type Metric = `=${string}`;

export const KINDS: readonly XKind[] = ['step', 'relative', 'wall'];

export function isMetric(axis: Axis): axis is Metric {
  return axis.startsWith('=');
}

/** In the page's URL. */
export const axisCodec: Codec<Axis> = {
  parse: (text) => KINDS.find((kind) => kind === text) ?? (text && /^=./.test(text) ? (text as Metric) : 'step'),
  format: (axis) => (axis === 'step' ? null : axis),
  named: (axis) => ({ tags: isMetric(axis) ? tagsIn(axis) : [] }),
};

/** How numbers along an axis are written. */
export function kindOf(axis: Axis): LineChartProps['xKind'] {
  return isMetric(axis) ? 'number' : axis;
}

/** A metric's name: that of a computed series, that of a tag, or its expression. */
export function metricName(axis: Metric, page: Page, { names }: Pick<Derived, 'names'>): string {
  const expression = expressionOf(axis) ?? '';
  if (names.value.has(expression)) return page.titleOf(axis);
  const tag = plainTag(expression);
  return tag === null ? expression : page.titleOf(tag);
}

/** What changed, with all series of the runs in which a metric changed that is their axis. */
export function alongChanged(
  series: ChangedSeries,
  axis: Axis,
  tagsOf: (run: string) => readonly string[],
): ChangedSeries {
  if (!series || !isMetric(axis)) return series;
  const inputs = tagsIn(axis);
  return Object.fromEntries(
    Object.entries(series).map(([run, tags]) => [
      run,
      tags.some((tag) => inputs.includes(tag)) ? [...new Set([...tags, ...tagsOf(run)])] : tags,
    ]),
  );
}

/** Where the pointer is on the axes of the cards, and where the cursor of all tabs is. */
export class Cursors {
  /** x under the pointer of some card, for the others when their x is linked. */
  readonly linked = signal<{ readonly tag: string; readonly x: number } | null>(null);
  /** Where other tabs stand, or a reading is pinned. */
  private readonly shared: Live<CursorAt | null>;

  constructor(private readonly page: Page) {
    this.shared = page.follow(page.ctx.cursor);
  }

  /** x of the cursor of all tabs on an axis; null if it has none there. */
  sharedX(kind: Axis): number | null {
    const { step, wallTime } = this.shared.value ?? {};
    return (kind === 'step' ? step : kind === 'wall' ? wallTime : null) ?? null;
  }

  /** Tells other tabs where the pointer is (null: nowhere) or has been pinned; a relative time says nothing to them. */
  share(how: 'point' | 'pin', kind: XKind, x: number | null): void {
    const { cursor } = this.page.ctx;
    if (x === null) cursor[how](null);
    else if (kind !== 'relative') cursor[how](kind === 'step' ? { step: x } : { wallTime: x });
  }
}
