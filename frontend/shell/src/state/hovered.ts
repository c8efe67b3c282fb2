/** The runs that stand out in every tab. */
import { signal } from '@preact/signals';

export class Hovered {
  readonly runs = signal<readonly string[]>([]);
  private next: readonly string[] = [];
  private from = '';
  private frame = 0;

  /** `from` is the plugin, "" the page: what one hovers, no other ends. Shown with the next frame. */
  set(names: readonly string[], from = ''): void {
    if (names.length === 0 && from !== this.from) return;
    this.next = names;
    this.from = from;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (this.next.join('\n') !== this.runs.peek().join('\n')) this.runs.value = this.next;
    });
  }
}
