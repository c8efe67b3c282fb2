import { codecs, recordQuery, StepBoard, type CardKey, type Records } from '@insight-host/kit';
import type { Query } from '@insight-host/api';

export const VIEWS = ['rendered', 'raw', 'diff'] as const;
export type View = (typeof VIEWS)[number];

const SETTLE = 300; // ms without a key before the URL says what is searched

/** The strings of one record in row-major order, and the shape of their tensor. */
export interface Texts {
  readonly shape: readonly number[];
  readonly strings: readonly string[];
}

/** What `/search` answers. */
export interface Matches {
  readonly matches: readonly number[];
  readonly searched: number;
  readonly records: number;
}

export class TextBoard extends StepBoard {
  readonly view = this.setting('view', codecs.choice<View>(VIEWS, 'rendered'));
  readonly search = this.setting('search', codecs.text, SETTLE);
  /** The run with which a diff compares; null: the record before of the same run. */
  readonly base = this.setting('base', codecs.name);

  async textsOf(card: CardKey, records: Records, index: number, signal: AbortSignal): Promise<Texts> {
    const answer = await this.ctx.data.json<{ readonly value: Texts }>('value', recordQuery(card, records, index), {
      signal,
    });
    return answer.value;
  }

  async matchesOf(
    { run, tag }: CardKey,
    attempts: Records['attempts'],
    text: string,
    signal: AbortSignal,
  ): Promise<Matches> {
    const query: Query = { run, tag, attempts, q: text };
    return this.ctx.data.json<Matches>('search', query, { signal });
  }
}
