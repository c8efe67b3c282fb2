import type { Page, Setting } from '@insight-host/kit';
import { brushesCodec, type Brush, type Brushes } from './brushes';

const SETTLE = 250; // ms without a move before the URL says it

/** What the user has brushed, by column. */
export class Brushing {
  readonly all: Setting<Brushes>;

  constructor(page: Page) {
    this.all = page.setting('brush', brushesCodec, SETTLE);
  }

  set(name: string, brush: Brush | null): void {
    const next = new Map(this.all.value);
    if (brush) next.set(name, brush);
    else next.delete(name);
    this.all.set(next);
  }

  clear(): void {
    this.all.set(new Map());
  }
}
