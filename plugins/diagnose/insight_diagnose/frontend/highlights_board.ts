/** What matters about the selected runs, as the sources of all plugins say. */
import type { Messages } from '@insight-host/api';
import { message, type Page } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { signal } from '@preact/signals';
import type { Highlight, HighlightsAnswer } from './findings';

const APART = 3000; // ms between two looks at data that grow

export class HighlightsBoard {
  readonly highlights = signal<readonly Highlight[]>([]);
  readonly messages = signal<Messages>({});
  /** Why sources failed. */
  readonly failures = signal<readonly string[]>([]);
  private asking: AbortController | null = null;
  private readonly again = new Spaced(APART, () => void this.ask());

  constructor(private readonly page: Page) {
    const soon = (): void => void this.ask();
    page.onChange(page.ctx.runs.selected, soon);
    page.onChange(page.ctx.visible, soon);
    page.onChange(page.ctx.generation, () => this.again.ask());
    page.until(() => {
      this.again.cancel();
      this.asking?.abort();
    });
    this.again.ask();
  }

  async ask(): Promise<void> {
    this.asking?.abort();
    const { ctx } = this.page;
    if (!ctx.visible.value) return;
    const { signal: stopped } = (this.asking = new AbortController());
    const run = ctx.runs.selected.value.map(({ name }) => name);
    try {
      const answer = await ctx.data.json<HighlightsAnswer>('highlights', { run }, { signal: stopped });
      if (stopped.aborted) return;
      this.messages.value = answer.messages;
      this.highlights.value = answer.highlights;
      this.failures.value = answer.failed.map(({ plugin, reason }) => `${plugin}: ${ctx.reason(reason)}`);
    } catch (cause) {
      if (!stopped.aborted) this.failures.value = [message(cause)];
    }
  }
}
