/** All series and bands that cards show, and the requests for those that are missing or old. */
import type { Columns, Query } from '@insight-host/api';
import type { ChangedSeries, Page, Tags } from '@insight-host/kit';
import { RequestQueue, SeriesClock } from '@insight-host/kit/lab';
import { Batches } from './batches';
import { continuations } from './growing';
import type { Ask, BandQuery, Kept, KeptBands, KeptSeries, SeriesQuery } from './query';
import { decodeBands, isWhole, sizeOf, WHOLE, type Band, type Series } from './series';
import { canSmooth, isSettled, keepsEverything, smoothed } from './smoothing';

const AT_ONCE = 4; // requests
const SERIES_BYTES = 64 << 20;
const BANDS_BYTES = 16 << 20;
const FEW = 20; // runs whose names go into a URL at no cost
const NEVER = -1; // the time of a value that no answer contains: always out of date

/** What came; requests that failed do not take the others with them. */
interface Fetched<T> {
  readonly found: Map<string, Kept<T>>;
  readonly failures: unknown[];
}

type Found<T> = ReadonlyMap<string, Kept<T>>;

/** Series by run that the page has smoothed. */
interface Smoothed {
  readonly exact: Map<string, KeptSeries>;
  readonly drafts: Map<string, KeptSeries>;
}

/** The series and bands of all cards: kept by run and tag, asked for only when they are missing or have changed. */
export class Source {
  private readonly queue = new RequestQueue(AT_ONCE);
  /** Of changes of series. */
  readonly clock = new SeriesClock();
  private readonly batches: Batches;
  private readonly seriesCache = new ByteCache<KeptSeries>(SERIES_BYTES);
  private readonly bandsCache = new ByteCache<KeptBands>(BANDS_BYTES);

  constructor(
    private readonly page: Page,
    private readonly tags: Tags,
  ) {
    this.batches = new Batches(page, () => this.clock.now);
  }

  changed(series: ChangedSeries): void {
    this.clock.changed(series);
  }

  /**
   * What is there already, by run, be it out of date. `own`: of the card that asks, for it may show more than is kept.
   */
  series(query: SeriesQuery, runs: readonly string[], own: Found<Series>): Map<string, KeptSeries> {
    const keys = keysOf(query).flat();
    const found = new Map<string, KeptSeries>();
    for (const run of runs) {
      let best: KeptSeries | undefined;
      for (const key of keys) {
        const kept = this.seriesCache.get(key + run) ?? own.get(key + run);
        if (!kept || (isWhole(kept.value) && !fits(kept.value, query))) continue;
        const isCurrent = this.clock.isCurrent(kept.time, query.tag, [run]);
        if (isCurrent || !best) best = kept;
        if (isCurrent) break;
      }
      if (best) found.set(run, best);
    }
    return found;
  }

  /**
   * What the host would answer to a query with smoothing: of series that are here with every point, the same; of the
   * others a draft, which counts as out of date. Where the raw series are not drawn the axis is that of the smoothed
   * ones, for which fractions of the raw range are too coarse.
   */
  smoothed(query: SeriesQuery, raw: ReadonlyMap<string, KeptSeries>, isRawDrawn: boolean): Smoothed {
    const found: Smoothed = { exact: new Map(), drafts: new Map() };
    for (const [run, { key, value, time }] of canSmooth(query.smoother) ? raw : []) {
      const isExact = keepsEverything(value) && (isRawDrawn || !value.precision);
      const kept = { key: `${query.smoothing} ${key}`, value: smoothed(value, query.smoothing) };
      (isExact ? found.exact : found.drafts).set(run, { ...kept, time: isExact ? time : NEVER });
    }
    return found;
  }

  /** The runs of which nothing is there, or something that has changed since. */
  outdated({ tag }: SeriesQuery, runs: readonly string[], here: ReadonlyMap<string, KeptSeries>): readonly string[] {
    return runs.filter((run) => !this.clock.isCurrent(here.get(run)?.time ?? NEVER, tag, [run]));
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
    const request = async (
      names: readonly string[],
      more: Query,
      take: (series: Series) => Series | null,
    ): Promise<void> => {
      if (names.length === 0) return;
      try {
        const { series, failures, time } = await this.batches.ask(
          { runs: names, parameters: { ...parametersOf(query), ...more } },
          ask,
        );
        fetched.failures.push(...failures);
        for (const one of series) {
          const taken = take(one);
          if (taken) this.keep(query, taken, time, fetched);
        }
      } catch (error) {
        fetched.failures.push(error);
      }
    };
    const windowOf = ({ window }: SeriesQuery): Query => ({ from: window?.[0], to: window?.[1] });
    const fetchWhole = (names: readonly string[]): Promise<void> => request(names, windowOf(query), (series) => series);
    const bases = runs.flatMap((run) => old.get(run) ?? []).filter(({ time }) => this.clock.isKnown(time));
    const continued = continuations(
      query,
      bases
        .map(({ value }) => value)
        .filter(({ points }) => query.smoothing === 0 || isSettled(query.smoother, points)),
    );
    const names = new Set(continued.flatMap((one) => one.runs));
    const misfits: string[] = [];
    await Promise.all([
      fetchWhole(runs.filter((run) => !names.has(run))),
      ...continued.map((one) =>
        request(one.runs, one.more, (answer) => {
          const series = one.take(answer);
          if (series && (series.decimated || fits(series, query))) return series;
          misfits.push(answer.run);
          return null;
        }),
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
      const { columns, time } = await this.answer(query, { ...group, run }, ask);
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
    const [[whole, cut] = ['', '']] = keysOf(query);
    const kept: KeptSeries = { key: (isWhole(series) ? whole : cut) + series.run, value: series, time };
    const older = this.seriesCache.get(whole + series.run);
    // has grown too long to be shown whole
    if (older && !this.clock.isCurrent(older.time, query.tag, [series.run])) this.seriesCache.delete(older.key);
    this.seriesCache.set(kept.key, kept, sizeOf(series));
    found.set(kept.key, kept);
  }

  private answer(
    query: SeriesQuery,
    more: Query,
    { urgency, signal }: Ask,
  ): Promise<{ columns: Columns; time: number }> {
    const common = { ...pointsOf(query), from: query.window?.[0], to: query.window?.[1] };
    return this.queue.run(urgency, signal, async () => {
      const time = this.clock.now;
      const parameters = { ...common, ...more, format: 'safetensors' };
      return { columns: await this.page.ctx.data.columns('bands', parameters, { signal }), time };
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
  return series.points <= WHOLE * width;
}

/**
 * The keys of a series with every point, which window and width do not change, and of a part of it; the run is
 * appended. First those of the query itself, then those of more exact answers to it.
 */
function keysOf(query: SeriesQuery): readonly (readonly [string, string])[] {
  const { tag, x, smoothing, smoother, attempts, logX, window, width } = query;
  const kinds = [...new Set([query.values, 'exact'])].flatMap((values) =>
    [...new Set([query.times, true])].map((times) => [values, times]),
  );
  return kinds.map((kind) => {
    const whole = [tag, x, smoothing, smoothing > 0 && smoother, attempts, ...kind];
    return [JSON.stringify(whole), JSON.stringify([...whole, logX, window, width])];
  });
}

function bandsKey(query: BandQuery): string {
  const { runs, group } = query;
  return JSON.stringify([keysOf({ ...query, values: 'exact', times: false })[0], group, runs]);
}

/** Which points, but for the window. */
function pointsOf(query: SeriesQuery): Query {
  return {
    tag: query.tag,
    x: query.x,
    xscale: query.logX ? 'log' : null,
    width: query.width,
    smoothing: query.smoothing || null,
    smoother: query.smoothing > 0 && query.smoother !== 'ema' ? query.smoother : null,
    attempts: query.attempts,
  };
}

/** All but the window. */
function parametersOf(query: SeriesQuery): Query {
  return {
    ...pointsOf(query),
    values: query.values === 'exact' ? 'exact' : null,
    yscale: query.values === 'log' ? 'log' : null,
    times: query.times ? 1 : null,
  };
}

/** An LRU cache bounded by `limit` bytes. */
export class ByteCache<T> {
  private readonly entries = new Map<string, { readonly value: T; readonly bytes: number }>();
  private used = 0;

  constructor(private readonly limit: number) {}

  /** Bytes of all values. */
  get bytes(): number {
    return this.used;
  }

  /** The value, which counts as used now. */
  get(key: string): T | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  /** Evicts the values that were not used for the longest time; a value larger than the limit is not kept. */
  set(key: string, value: T, bytes: number): void {
    this.delete(key);
    if (bytes > this.limit) return;
    this.entries.set(key, { value, bytes });
    this.used += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.used <= this.limit) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.used -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }
}
