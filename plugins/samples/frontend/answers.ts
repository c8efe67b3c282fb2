/** What the routes of the plugin answer. */
import type { Page } from '@insight-host/kit';
import type { RowsAnswer } from '@insight-host/kit/table';
import type { SearchSlice } from '@insight-host/kit/texts';

/** `[count, mean, min, 5 %, 25 %, 50 %, 75 %, 95 %, max]`. */
export type Spread = readonly number[];

export interface Summary {
  readonly rows: number;
  readonly prompts: number;
  readonly empty: number;
  readonly repeated: number;
  readonly truncated: number | null;
  readonly columns: Readonly<Record<string, Spread>>;
}

/** How far a source is indexed, and what of it could not be read. */
export interface SourceState {
  readonly source: string;
  readonly files: number;
  readonly bytes: number;
  readonly indexed: number;
  readonly rows: number;
  readonly bad: readonly (readonly [file: string, offset: number, rows: number])[];
  readonly bad_rows: number;
  readonly errors: readonly { readonly file: string; readonly error: string; readonly code?: string }[];
}

export interface Overview extends SourceState {
  readonly steps: readonly number[];
  readonly scores: readonly string[];
  readonly shown: readonly (readonly [step: number, summary: Summary])[];
}

/** A sample in a list, with the beginning of what was said. */
export interface Line {
  readonly id: string;
  readonly size: number;
  readonly step: number;
  readonly prompt: string;
  readonly group: string;
  readonly length: number | null;
  readonly advantage: number | null;
  readonly scores: Readonly<Record<string, number | null>>;
  readonly signs: readonly string[];
  readonly said: string | null;
  readonly asked: string | null;
  readonly characters?: number;
}

export interface Part {
  readonly kind: 'text' | 'reasoning' | 'call' | 'image' | 'other';
  readonly text: string;
  readonly name?: string;
  readonly size?: number;
  /** Of an image: by what the route `image` gives it. Without it, `text` says where it is, or why it is not shown. */
  readonly image?: string;
  readonly width?: number;
  readonly height?: number;
  /** Of the reason, for the text in the user's language. */
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}
export interface Message {
  readonly role: string;
  readonly parts: readonly Part[];
}

export interface Sample {
  readonly step: number;
  readonly file: string;
  readonly format: string;
  readonly prompt: readonly Message[];
  readonly completion: readonly Message[];
  readonly scores: Readonly<Record<string, number | null>>;
  readonly advantage: number | null;
  readonly tokens: number | null;
  readonly characters: number;
  readonly prompt_tokens: number | null;
  readonly reference: string | null;
  readonly truncated: boolean | null;
  readonly repetition: number;
  readonly rest: string;
  readonly cut: number;
}

/** Names a sample for the routes about one. */
export type SampleQuery = Readonly<Record<'run' | 'source' | 'id', string> & { size: number }>;

/** A sample, and which one it is. */
export type NamedSample = Sample & { readonly of: SampleQuery };

export async function loadSample(page: Page, of: SampleQuery, signal: AbortSignal): Promise<NamedSample> {
  return { ...(await page.ctx.data.json<Sample>('sample', of, { signal })), of };
}

export interface SamePrompt {
  readonly total: number;
  readonly samples: readonly Line[];
  readonly by_step: readonly (readonly [step: number, figures: readonly [mean: number | null, count: number]])[];
}

export interface Pair {
  readonly before: Line;
  readonly after: Line;
  readonly means: readonly [number | null, number | null];
  readonly counts: readonly [number, number];
}
export interface Changes {
  readonly pairs: readonly Pair[];
  readonly shared: number;
  readonly rose: number;
  readonly fell: number;
  readonly flips: readonly [up: number, down: number];
  readonly only: readonly [number, number];
}

interface Hits extends SourceState {
  readonly samples: readonly Line[];
  readonly next: number | null;
  readonly of: number;
}

export type LinesAnswer = RowsAnswer<Line>;

/** Searches the texts of a source, slice by slice. */
export async function* searchSamples(
  page: Page,
  query: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): AsyncIterable<SearchSlice<Line>> {
  for (let start: number | null = 0; start !== null;) {
    const asked: Readonly<Record<string, unknown>> = { ...query, start };
    const { samples, next, of }: Hits = await page.ctx.data.json<Hits>('search', asked as never, { signal });
    yield { hits: samples, share: next === null ? 1 : next / Math.max(1, of) };
    start = next;
  }
}

/** A message as one text, as it is compared. */
export const textOf = (messages: readonly Message[]): string =>
  messages
    .map(({ role, parts }, at) => {
      const said = parts.map(({ kind, text, name }) => (kind === 'call' ? `${name ?? ''}(${text})` : text)).join('\n');
      return at === 0 && messages.length === 1 ? said : `[${role}] ${said}`;
    })
    .join('\n');
