import { batch, signal } from '@preact/signals';
import { message, type Page, type Setting } from '@insight-host/kit';
import { rememberGroups } from './lines';

const TYPED = 300; // ms without a key

export type Centre = 'mean' | 'median';
export const CENTRES: readonly Centre[] = ['mean', 'median'];
export type Spread = 'minmax' | 'std' | 'sem' | 'ci95' | 'iqr';
export const SPREADS: readonly Spread[] = ['minmax', 'std', 'sem', 'ci95', 'iqr'];

/** How bands are made; these are parameters of the route `bands`. */
export interface GroupQuery {
  /** A regular expression of names of runs. */
  readonly group: string | null;
  /** Columns of the run table. */
  readonly by: readonly string[];
  readonly centre: Centre;
  readonly spread: Spread;
}

/** Whether the spread lies around this centre: deviations and errors lie around the mean only. */
export function fitsCentre(spread: Spread, centre: Centre): boolean {
  return centre === 'mean' || spread === 'minmax' || spread === 'iqr';
}

/** What groups runs: what is typed and picked, and what the cards use once the host has accepted it. */
export class Grouping {
  /** The text in the field. */
  readonly draft = signal('');
  /** The last accepted expression, '' for none; null while the grouping of a link is being checked. */
  readonly active = signal<string | null>(null);
  /** The last accepted columns. */
  readonly by = signal<readonly string[]>([]);
  /** Why the text in the field, or a column, is not used. */
  readonly error = signal<string | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private checking = new AbortController();
  private asked = '';

  constructor(
    private readonly page: Page,
    /** The URL's, which only gets accepted expressions. */
    private readonly setting: Setting<string>,
    /** The columns in the URL. */
    readonly picked: Setting<readonly string[]>,
  ) {
    page.until(
      setting.subscribe((text) => {
        if (text === this.active.peek()) return;
        this.draft.value = text;
        void this.check(text);
      }),
    );
    page.until(
      picked.subscribe((by) => {
        if (this.asked !== keyOf(setting.value, by)) void this.check(setting.value);
      }),
    );
    page.until(() => this.forget());
  }

  /** Whether cards show groups. */
  get isOn(): boolean {
    return Boolean(this.active.value) || this.by.value.length > 0;
  }

  /** How cards ask for bands; null: for single runs, undefined: not known yet. */
  query(centre: Centre, spread: Spread): GroupQuery | null | undefined {
    if (this.active.value === null) return undefined;
    if (!this.isOn) return null;
    return { group: this.active.value || null, by: this.by.value, centre, spread };
  }

  type(text: string): void {
    this.forget();
    this.draft.value = text;
    if (text) this.timer = setTimeout(() => void this.check(text), TYPED);
    else void this.check('');
  }

  /** Adds a column, or takes it away. */
  pick(key: string): void {
    const { value: by } = this.picked;
    this.picked.set(by.includes(key) ? by.filter((other) => other !== key) : [...by, key]);
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.checking.abort();
    this.error.value = null;
  }

  private async check(text: string): Promise<void> {
    this.forget();
    const { value: by } = this.picked;
    this.asked = keyOf(text, by);
    if (!text && by.length === 0) return this.accept('', by);
    const { signal: stop } = (this.checking = new AbortController());
    try {
      const { groups } = await this.page.ctx.data.json<{ readonly groups?: readonly { readonly group: string }[] }>(
        'groups',
        { group: text || null, by },
        { signal: stop },
      );
      if (stop.aborted) return;
      rememberGroups((groups ?? []).map(({ group }) => group));
      this.accept(text, by);
    } catch (cause) {
      if (stop.aborted) return;
      this.error.value = message(cause);
      this.active.value ??= '';
    }
  }

  private accept(text: string, by: readonly string[]): void {
    batch(() => {
      this.active.value = text;
      this.by.value = by;
    });
    this.setting.set(text);
  }
}

function keyOf(text: string, by: readonly string[]): string {
  return JSON.stringify([text, by]);
}
