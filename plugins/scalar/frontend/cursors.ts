import { signal, type ReadonlySignal as Live } from '@preact/signals';
import type { CursorAt } from '@insight-host/api';
import type { Page } from '@insight-host/kit';
import type { XKind } from '@insight-host/kit/draw';
import type { Axis } from './axis';

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
