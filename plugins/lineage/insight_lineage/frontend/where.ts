import { computed, effect, signal } from '@preact/signals';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import { matching, type Matching } from './source';

/** The expression that runs are to match; the host says of which it holds. */
export class Where {
  readonly text: Setting<string>;
  /** What the expression leaves; null while it says nothing. */
  private readonly matches = signal<Matching | null>(null);
  private asked = 0;

  /** `follow` reads what an expression may be about: the host is asked again when that changes. */
  constructor(
    private readonly page: Page,
    follow: () => void,
  ) {
    this.text = page.setting('where', codecs.text);
    page.until(
      effect(() => {
        follow();
        void this.match(this.text.value);
      }),
    );
  }

  /** Runs of which it holds; null: of all. */
  readonly runs = computed(() => this.matches.value?.runs ?? null);
  /** Why it says nothing. */
  readonly problem = computed(() => this.matches.value?.problem ?? null);

  again(): void {
    void this.match(this.text.value);
  }

  private async match(text: string): Promise<void> {
    const mine = ++this.asked;
    if (!text.trim()) {
      this.matches.value = null;
      return;
    }
    const found = await matching(this.page.ctx, text);
    if (mine === this.asked && found) this.matches.value = found;
  }
}
