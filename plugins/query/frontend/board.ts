/** The query of the tab and its answer. */
import { codecs, message, type Page, type Setting } from '@insight-host/kit';
import { computed, signal } from '@preact/signals';
import { axesOf, type Answer, type TableInfo } from './answer';

const USUAL_TAG = `select tag from series where plugin = 'scalar' group by tag
  order by tag ilike '%loss%' desc, sum(points) desc, tag limit 1`;

type View = 'table' | 'chart';

export class QueryBoard {
  /** The query that was asked last; the URL has it, and so has a saved view. */
  readonly sql: Setting<string>;
  readonly view: Setting<View>;
  readonly x: Setting<string>;
  readonly y: Setting<string>;
  readonly by: Setting<string>;
  /** The text in the editor. */
  readonly draft = signal('');
  readonly answer = signal<Answer | null>(null);
  readonly failure = signal('');
  readonly busy = signal(false);
  readonly tables = signal<readonly TableInfo[]>([]);
  /** A scalar that many runs have, for examples. */
  readonly tag = signal('loss');
  /** The logs have changed since the answer. */
  readonly isOld = signal(false);
  readonly axes = computed(() => {
    const answer = this.answer.value;
    return answer && axesOf(answer, { x: this.x.value, y: this.y.value, by: this.by.value });
  });
  private asking: AbortController | null = null;

  constructor(readonly page: Page) {
    this.sql = page.setting('sql', codecs.text);
    this.view = page.setting('view', codecs.choice<View>(['table', 'chart'], 'table'));
    this.x = page.setting('x', codecs.text);
    this.y = page.setting('y', codecs.text);
    this.by = page.setting('by', codecs.text);
    page.until(
      this.sql.subscribe((sql) => {
        this.draft.value = sql;
        void this.ask(sql);
      }),
    );
    page.onChange(page.ctx.generation, () => (this.isOld.value = this.answer.peek() !== null));
    page.until(() => this.asking?.abort());
    void this.list();
  }

  /** Asks what stands in the editor, again if it was asked before. */
  run(): void {
    const sql = this.draft.peek().trim();
    if (sql === this.sql.peek()) void this.ask(sql);
    else this.sql.set(sql, 'push');
  }

  stop(): void {
    this.asking?.abort();
    this.busy.value = false;
  }

  private async ask(sql: string): Promise<void> {
    this.asking?.abort();
    this.failure.value = '';
    this.isOld.value = false;
    if (sql === '') {
      this.answer.value = null;
      this.busy.value = false;
      return;
    }
    const { signal: stopped } = (this.asking = new AbortController());
    this.busy.value = true;
    try {
      const answer = await this.page.ctx.data.json<Answer>('sql', { sql }, { signal: stopped });
      if (!stopped.aborted) this.answer.value = answer;
    } catch (cause) {
      if (!stopped.aborted) this.failure.value = message(cause);
    }
    if (!stopped.aborted) this.busy.value = false;
  }

  private async list(): Promise<void> {
    const { data } = this.page.ctx;
    try {
      this.tables.value = (await data.json<{ tables: readonly TableInfo[] }>('tables')).tables;
      const { values } = await data.json<Answer>('sql', { sql: USUAL_TAG });
      this.tag.value = String(values[0]?.[0] ?? this.tag.value);
    } catch (cause) {
      this.failure.value = message(cause);
    }
  }
}
