import { signal } from '@preact/signals';
import { message, type Page, type Setting } from '@insight-host/kit';

const TYPED = 300; // ms without a key

/** The expression that groups runs: what is typed, and what the cards use once the host has accepted it. */
export class Grouping {
  /** The text in the field. */
  readonly draft = signal('');
  /** The last accepted expression, '' for none; null while the one of a link is being checked. */
  readonly active = signal<string | null>(null);
  /** Why the text in the field is not used. */
  readonly error = signal<string | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private checking = new AbortController();

  constructor(
    private readonly page: Page,
    /** The URL's, which only gets accepted expressions. */
    private readonly setting: Setting<string>,
  ) {
    page.until(
      setting.subscribe((text) => {
        if (text === this.active.peek()) return;
        this.draft.value = text;
        void this.check(text);
      }),
    );
    page.until(() => this.forget());
  }

  type(text: string): void {
    this.forget();
    this.draft.value = text;
    if (text) this.timer = setTimeout(() => void this.check(text), TYPED);
    else this.accept('');
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.checking.abort();
    this.error.value = null;
  }

  private async check(text: string): Promise<void> {
    this.forget();
    if (!text) return this.accept('');
    const { signal } = (this.checking = new AbortController());
    try {
      await this.page.ctx.data.json('groups', { group: text }, { signal });
      if (!signal.aborted) this.accept(text);
    } catch (cause) {
      if (signal.aborted) return;
      this.error.value = message(cause);
      this.active.value ??= '';
    }
  }

  private accept(text: string): void {
    this.active.value = text;
    this.setting.set(text);
  }
}
