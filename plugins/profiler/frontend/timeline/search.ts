/** Search of slices by name: number of matches, the current match, and its neighbours. */
import { computed, effect, signal, untracked } from '@preact/signals';
import { searcher, statusOf, type Setting } from '@insight-host/kit';
import { Latest } from '@insight-host/kit/lab';
import type { BriefSlice, SearchAnswer } from './answers';
import type { TimelineState } from './state';

const PAGE = 200;

export class Search {
  readonly latest: Latest<SearchAnswer>;
  /** Which of all that were found is in front, from 0; -1: none yet. */
  readonly place = signal(-1);
  /** Where one types. */
  input: HTMLInputElement | null = null;
  private readonly stop: () => void;

  constructor(
    private readonly state: TimelineState,
    readonly text: Setting<string>,
    readonly regex: Setting<boolean>,
  ) {
    this.latest = new Latest<SearchAnswer>(state.board.queue);
    this.stop = effect(() => {
      const { value: query } = this.query;
      const version = this.state.tracks.value?.version;
      if (query === null || version === undefined) return;
      untracked(() => {
        this.place.value = -1;
        this.ask({ ...query, at: Math.floor(this.state.span.value.from) }, version);
      });
    });
  }

  readonly query = computed(() => {
    const { value: text } = this.text;
    const { value: steps } = this.state.stepSpan;
    return text === ''
      ? null
      : {
          ...this.state.board.profiles.query.value,
          q: text,
          regex: this.regex.value ? 1 : null,
          ...(steps ? { from: steps.from, to: steps.to } : {}),
        };
  });
  readonly answer = computed<SearchAnswer | null>(() =>
    this.text.value === '' ? null : (this.latest.answer.value?.value ?? null),
  );
  readonly error = computed<string | null>(() =>
    this.text.value === '' ? null : (this.latest.error.value?.reason ?? null),
  );
  /** Whether a name is found, by the same rule as the host's; null while nothing is searched. */
  readonly matches = computed<((name: string) => boolean) | null>(() => {
    const { value: text } = this.text;
    if (text === '' || this.error.value !== null) return null;
    if (!this.regex.value) {
      const low = text.toLowerCase();
      return (name) => name.toLowerCase().includes(low);
    }
    try {
      return searcher(text, 'i');
    } catch {
      return null; // the host's expressions can do more
    }
  });

  private ask(query: Readonly<Record<string, string | number | null>>, version: number): void {
    const all = { ...query, limit: PAGE };
    this.latest.want(JSON.stringify([all, version]), async (signal) => {
      const found = await this.state.page.ctx.data.json<SearchAnswer>('search', all, { signal });
      if (found.rows.length > 0 || found.total === 0) return found;
      // all begin before the left edge
      return this.state.page.ctx.data.json<SearchAnswer>('search', { ...all, at: null }, { signal });
    });
  }

  /**
   * To the next one found or the one before; from the last to the first. The first time: the next from the left edge
   * on.
   */
  async step(by: number): Promise<void> {
    const { value: answer } = this.answer;
    const query = this.query.peek();
    if (!answer || !query || answer.total === 0) return;
    const before = this.place.value;
    const wanted = before < 0 ? (by > 0 ? answer.offset : answer.offset - 1) : before + by;
    const place = ((wanted % answer.total) + answer.total) % answer.total;
    const known = answer.rows[place - answer.offset];
    if (known) return this.go(known, place);
    const offset = Math.max(0, by > 0 ? place : place - PAGE + 1);
    const key = JSON.stringify(query);
    const more = await this.state.page.ctx.data
      .json<SearchAnswer>('search', { ...query, offset, limit: PAGE }, { signal: this.state.page.ctx.signal })
      .catch((error: unknown) => {
        if (statusOf(error) === null) throw error;
        return null;
      });
    const row = more?.rows[place - offset];
    if (!more || !row || JSON.stringify(this.query.peek()) !== key) return;
    this.latest.answer.value = { key: `${key} ${offset}`, value: more };
    this.go(row, place);
  }

  go(row: BriefSlice, place: number): void {
    this.place.value = place;
    this.state.choose(row);
  }

  focus(): void {
    this.input?.focus();
    this.input?.select();
  }

  dispose(): void {
    this.stop();
    this.latest.rest();
  }
}
