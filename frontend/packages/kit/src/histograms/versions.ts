import { signal } from '@preact/signals';
import type { Page } from '@insight-host/kit';
import { SeriesClock } from '@insight-host/kit/lab';

const REST = 500; // ms between two questions about what grows

/** Says when to ask again about series that grow: at most every half second. */
export class SeriesVersions {
  private readonly clock = new SeriesClock();
  /** Grows when there may be something new to ask. */
  private readonly tick = signal(0);

  constructor(page: Page) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    page.until(() => clearTimeout(timer));
    page.onChange(page.ctx.changes, ({ series }) => {
      this.clock.changed(series);
      timer ??= setTimeout(() => {
        timer = undefined;
        this.tick.value++;
      }, REST);
    });
  }

  /** Another number when one of these runs of a tag has changed. */
  of(tag: string, runs: readonly string[]): number {
    void this.tick.value;
    return this.clock.latest(tag, runs);
  }
}
