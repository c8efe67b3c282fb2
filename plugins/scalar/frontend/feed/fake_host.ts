/** A host of series, for tests. */
import type { Columns, Query } from '@insight-host/api';

export interface Sent {
  readonly route: string;
  readonly tag: string;
  /** null: not named. */
  readonly runs: readonly string[] | null;
  readonly from: unknown;
  readonly smoothing: number;
}

function fakeColumns(columns: Readonly<Record<string, readonly number[]>>, metadata = {}): Columns {
  return { metadata, names: Object.keys(columns), column: (name) => new Float64Array(columns[name] ?? []) };
}

interface Card {
  readonly tag: string;
  readonly runs?: readonly number[];
  readonly from?: number;
  readonly smoothing?: number;
}

const NOTHING = fakeColumns({});

/** A host whose every series grows when the test says so. */
export class FakeHost {
  readonly sent: Sent[] = [];
  readonly steps = new Map<string, number>();
  readonly broken = new Set<string>();
  /** Tags of cards that fail as a whole. */
  readonly lost = new Set<string>();
  /** Parameters of requests for series. */
  readonly queries: Query[] = [];
  /** Parameters of the last request for bands. */
  bandsQuery: Query = {};
  requests = 0;
  decimated = false;
  /** Whether values come as fractions of their range. */
  codes = false;
  /** A promise that holds back all answers. */
  held: Promise<void> | null = null;

  constructor(
    readonly runs: readonly string[],
    readonly tags: readonly string[],
  ) {}

  stepsOf(run: string): number {
    return this.steps.get(run) ?? 3;
  }

  readonly frames = async function* (this: FakeHost, _route: string, query: Query): AsyncGenerator<Columns> {
    const cards = (query['card'] as readonly string[]).map((text) => JSON.parse(text) as Card);
    this.requests += 1;
    this.queries.push(query);
    const named = query['run'] as readonly string[] | null;
    const runsOf = ({ runs }: Card): readonly string[] | null =>
      runs && named ? runs.map((i) => named[i] as string) : named;
    for (const card of cards)
      this.sent.push({
        route: 'series',
        tag: card.tag,
        runs: runsOf(card),
        from: card.from ?? null,
        smoothing: card.smoothing ?? 0,
      });
    await this.held;
    for (const [place, card] of cards.entries()) {
      if (this.lost.has(card.tag)) {
        yield { ...NOTHING, metadata: { card: String(place), error: JSON.stringify({ error: 'status 500' }) } };
        continue;
      }
      const all = runsOf(card) ?? this.runs;
      const runs = all.filter((run) => !this.broken.has(run));
      const failed = all.filter((run) => this.broken.has(run)).map((run) => [run, { error: 'status 500' }] as const);
      const columns: Record<string, number[]> = { doubles: [], high: [], low: [] };
      const steps = runs.map((run, i) => {
        const own = Array.from({ length: this.stepsOf(run) }, (_, step) => step).filter(
          (step) => step >= (card.from ?? 0),
        );
        columns['doubles']?.push(...own.map((step) => step + i));
        columns['high']?.push(...own.map(() => 0));
        columns['low']?.push(...own.map((step) => step + i));
        return { count: own.length, first: own[0] ?? 0, stride: 1 };
      });
      const series = runs.map((run, i) => ({
        run,
        tag: card.tag,
        steps: i,
        ...(this.codes ? { range: [0, 4095] } : { values: 'doubles' }),
        origin: 0,
        extent: [0, this.stepsOf(run) - 1],
        points: (steps[i]?.count ?? 0) + (this.decimated ? 1 : 0),
        total: this.stepsOf(run),
      }));
      const codes = { top: 4095, log: false, times: false };
      const texts = {
        card: place,
        codes,
        steps,
        series,
        ...(failed.length > 0 ? { failed: Object.fromEntries(failed) } : {}),
      };
      yield fakeColumns(
        columns,
        Object.fromEntries(Object.entries(texts).map(([name, part]) => [name, JSON.stringify(part)])),
      );
    }
  }.bind(this);

  readonly bands = async (route: string, query: Query): Promise<Columns> => {
    const runs = (query['run'] as readonly string[] | null | undefined) ?? this.runs;
    this.bandsQuery = query;
    this.sent.push({ route, tag: String(query['tag']), runs, from: null, smoothing: 0 });
    const groups = runs.map((run) => ({ group: run, tag: query['tag'], runs: [run], points: 1, decimated: false }));
    const names = runs.flatMap((_, i) => ['x', 'centre', 'low', 'high'].map((name) => `${i}.${name}`));
    return fakeColumns(Object.fromEntries(names.map((name) => [name, [0]])), { groups: JSON.stringify(groups) });
  };
}
