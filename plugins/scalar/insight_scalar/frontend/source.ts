import type { Columns, Query } from '@insight-host/api';
import type { XKind } from '@insight-host/kit/draw';
import {
  ByteCache,
  portions,
  RequestQueue,
  SeriesClock,
  statusOf,
  type ChangedSeries,
  type Page,
  type Tags,
} from '@insight-host/kit';
import type { Range } from './codecs';
import type { GroupQuery } from './grouping';
import { continuations } from './growing';
import { looksAhead, type Smoother } from './smoothers';
import { decodeBands, decodeSeries, isWhole, sizeOf, type Band, type Series } from './series';

const AT_ONCE = 4; // requests
const SERIES_BYTES = 64 << 20;
const BANDS_BYTES = 16 << 20;
const FEW = 20; // runs whose names go into a URL at no cost
const SPLITS = 16; // of requests that failed, per fetch

/** Which points of one series of a tag are asked for; the run is separate. */
export interface SeriesQuery {
  readonly tag: string;
  readonly x: XKind;
  readonly logX: boolean;
  readonly window: Range | null;
  readonly width: number;
  readonly smoothing: number;
  readonly smoother: Smoother;
  readonly attempts: 'last' | 'all';
}

/** Bands are computed from all their runs together. */
export interface BandQuery extends SeriesQuery {
  readonly runs: readonly string[];
  readonly group: GroupQuery;
}

/** A part of an answer, and when it was asked for. */
export interface Kept<T> {
  readonly key: string;
  readonly value: T;
  readonly time: number;
}
export type KeptSeries = Kept<Series>;
export type KeptBands = Kept<readonly Band[]>;

export interface Ask {
  readonly signal: AbortSignal;
  /** The smallest number goes first; asked when a request may start. */
  readonly urgency: () => number;
}

/** What came; requests that failed do not take the others with them. */
export interface Fetched<T> {
  readonly found: Map<string, Kept<T>>;
  readonly failures: unknown[];
}

type Found<T> = ReadonlyMap<string, Kept<T>>;

/** The series and bands of all cards: kept by run and tag, asked for only when they are missing or have changed. */
export class Source {
  private readonly queue = new RequestQueue(AT_ONCE);
  private readonly clock = new SeriesClock();
  private readonly seriesCache = new ByteCache<KeptSeries>(SERIES_BYTES);
  private readonly bandsCache = new ByteCache<KeptBands>(BANDS_BYTES);

  constructor(
    private readonly page: Page,
    private readonly tags: Tags,
  ) {}

  changed(series: ChangedSeries): void {
    this.clock.changed(series);
  }

  /** Bytes of everything that is kept. */
  get bytes(): number {
    return this.seriesCache.bytes + this.bandsCache.bytes;
  }

  /**
   * What is there already, by run, be it out of date. `own`: of the card that asks, for it may show more than is kept.
   */
  series(query: SeriesQuery, runs: readonly string[], own: Found<Series>): Map<string, KeptSeries> {
    const [whole, cut] = keysOf(query);
    const found = new Map<string, KeptSeries>();
    for (const run of runs) {
      const known = [whole + run, cut + run]
        .flatMap((key) => this.seriesCache.get(key) ?? own.get(key) ?? [])
        .filter(({ value }) => !isWhole(value) || fits(value, query));
      const best = known.find(({ time }) => this.clock.isCurrent(time, query.tag, [run])) ?? known[0];
      if (best) found.set(run, best);
    }
    return found;
  }

  /** The runs of which nothing is there, or something that has changed since. */
  outdated({ tag }: SeriesQuery, runs: readonly string[], here: ReadonlyMap<string, KeptSeries>): readonly string[] {
    return runs.filter((run) => !this.clock.isCurrent(here.get(run)?.time ?? -1, tag, [run]));
  }

  /** The series of these runs as they are now. Throws when one of them cannot be had. */
  async current(query: SeriesQuery, runs: readonly string[], ask: Ask): Promise<readonly Series[]> {
    const here = this.series(query, runs, new Map());
    const { found, failures } = await this.fetchSeries(query, this.outdated(query, runs, here), here, ask);
    if (failures.length > 0) throw failures[0];
    for (const kept of found.values()) here.set(kept.value.run, kept);
    return runs.flatMap((run) => here.get(run)?.value ?? []);
  }

  /** Fetches series; of those in `old`, where that suffices, what was appended. */
  async fetchSeries(
    query: SeriesQuery,
    runs: readonly string[],
    old: ReadonlyMap<string, KeptSeries>,
    ask: Ask,
  ): Promise<Fetched<Series>> {
    const fetched: Fetched<Series> = { found: new Map(), failures: [] };
    const keep = (series: Series, time: number): void => this.keep(query, series, time, fetched);
    const fetchWhole = (names: readonly string[]): Promise<void> =>
      this.request(
        'series',
        names,
        parametersOf(query),
        ask,
        fetched,
        (columns, time) => decodeSeries(columns).forEach((series) => keep(series, time)),
        this.isEveryRun(query, names),
      );
    const bases = runs.flatMap((run) => old.get(run) ?? []).filter(({ time }) => this.clock.isKnown(time));
    const continued =
      query.smoothing > 0 && looksAhead(query.smoother)
        ? []
        : continuations(
            query,
            bases.map(({ value }) => value),
          );
    const names = new Set(continued.flatMap((one) => one.runs));
    const misfits: string[] = [];
    await Promise.all([
      fetchWhole(runs.filter((run) => !names.has(run))),
      ...continued.map((one) =>
        this.request(
          'series',
          one.runs,
          { ...parametersOf({ ...query, window: null }), ...one.more },
          ask,
          fetched,
          (columns, time) => {
            for (const answer of decodeSeries(columns)) {
              const series = one.take(answer);
              if (series && (series.decimated || fits(series, query))) keep(series, time);
              else misfits.push(answer.run);
            }
          },
        ),
      ),
    ]);
    await fetchWhole(misfits);
    return fetched;
  }

  bands(query: BandQuery, own: Found<readonly Band[]>): KeptBands | null {
    const key = bandsKey(query);
    return this.bandsCache.get(key) ?? own.get(key) ?? null;
  }

  areCurrent({ tag, runs }: BandQuery, { time }: KeptBands): boolean {
    return this.clock.isCurrent(time, tag, runs);
  }

  async fetchBands(query: BandQuery, ask: Ask): Promise<Fetched<readonly Band[]>> {
    const fetched: Fetched<readonly Band[]> = { found: new Map(), failures: [] };
    const { group, runs } = query;
    const run = this.isEveryRun(query, runs) ? null : runs;
    try {
      const { columns, time } = await this.answer('bands', { ...parametersOf(query), ...group, run }, ask);
      const kept: KeptBands = { key: bandsKey(query), value: decodeBands(columns), time };
      this.bandsCache.set(
        kept.key,
        kept,
        kept.value.reduce((sum, band) => sum + 5 * band.x.byteLength, 0),
      );
      fetched.found.set(kept.key, kept);
    } catch (error) {
      fetched.failures.push(error);
    }
    return fetched;
  }

  private keep(query: SeriesQuery, series: Series, time: number, { found }: Fetched<Series>): void {
    const [whole, cut] = keysOf(query);
    const kept: KeptSeries = { key: (isWhole(series) ? whole : cut) + series.run, value: series, time };
    const older = this.seriesCache.get(whole + series.run);
    if (older && !this.clock.isCurrent(older.time, query.tag, [series.run])) this.seriesCache.delete(older.key); // has grown too long to be shown whole
    this.seriesCache.set(kept.key, kept, sizeOf(series));
    found.set(kept.key, kept);
  }

  /** Asks for runs in as many requests as their names need, and for each half of a request on which the host fails. */
  private async request(
    route: string,
    runs: readonly string[],
    query: Query,
    ask: Ask,
    { failures }: Fetched<unknown>,
    take: (columns: Columns, time: number) => void,
    everyRun = false,
    splits = { left: SPLITS },
  ): Promise<void> {
    const send = async (names: readonly string[], run: readonly string[] | null): Promise<void> => {
      try {
        const { columns, time } = await this.answer(route, { ...query, run }, ask);
        take(columns, time);
      } catch (error) {
        if (ask.signal.aborted || statusOf(error) !== 500 || names.length < 2 || splits.left === 0)
          return void failures.push(error);
        splits.left -= 1;
        const middle = names.length >> 1;
        await Promise.all(
          [names.slice(0, middle), names.slice(middle)].map((half) =>
            this.request(route, half, query, ask, { found: new Map(), failures }, take, false, splits),
          ),
        );
      }
    };
    if (runs.length === 0) return;
    await Promise.all(everyRun ? [send(runs, null)] : portions(runs).map((names) => send(names, names)));
  }

  private answer(route: string, query: Query, { urgency, signal }: Ask): Promise<{ columns: Columns; time: number }> {
    return this.queue.run(urgency, signal, async () => {
      const time = this.clock.now;
      return { columns: await this.page.ctx.data.columns(route, query, { signal }), time };
    });
  }

  /** These are all runs that have the tag: no need to name them. */
  private isEveryRun({ tag }: SeriesQuery, runs: readonly string[]): boolean {
    const { runs: selected, allRuns } = this.page;
    return (
      runs.length > FEW &&
      selected.value.length === allRuns.value.length &&
      runs.length === this.tags.runsOf(tag).length
    );
  }
}

/** The host would send every point for this width, too. */
function fits(series: Series, { width }: SeriesQuery): boolean {
  return series.points <= 4 * width;
}

/**
 * The key of a series with every point, which window and width do not change, and that of a part of it; the run is
 * appended.
 */
function keysOf({
  tag,
  x,
  smoothing,
  smoother,
  attempts,
  logX,
  window,
  width,
}: SeriesQuery): readonly [string, string] {
  const whole = [tag, x, smoothing, smoothing > 0 && smoother, attempts];
  return [JSON.stringify(whole), JSON.stringify([...whole, logX, window, width])];
}

function bandsKey(query: BandQuery): string {
  const { runs, group } = query;
  return JSON.stringify([keysOf(query)[1], group, runs]);
}

function parametersOf(query: SeriesQuery): Query {
  return {
    tag: query.tag,
    x: query.x,
    xscale: query.logX ? 'log' : null,
    from: query.window?.[0],
    to: query.window?.[1],
    width: query.width,
    smoothing: query.smoothing || null,
    smoother: query.smoothing > 0 && query.smoother !== 'ema' ? query.smoother : null,
    attempts: query.attempts,
    format: 'safetensors',
  };
}
