/** The feed of one card: what it wants, what of that is here, what has to be fetched, and the picture it shows. */
import { Problem } from '@insight-host/kit';
import { signal } from '@preact/signals';
import type { PanelLayer } from '../panels/panels';
import { ALL_RUNS, type BandQuery, type GroupQuery, type KeptBands, type KeptSeries, type SeriesQuery } from './query';
import type { Band, Series } from './series';
import type { Source } from './source';

export interface Layer extends PanelLayer {
  readonly runs: readonly string[];
  /** Runs whose median and quartiles are drawn behind the lines. */
  readonly around?: readonly string[];
}

/** All that decides what a card has to fetch. */
export interface CardQuery extends Omit<SeriesQuery, 'tag'> {
  readonly layers: readonly Layer[];
  readonly group: GroupQuery | null;
  /** Whether raw series go with smoothed ones. */
  readonly raw: boolean;
}

export interface LayerData extends Layer {
  readonly main: readonly Series[];
  /** Not smoothed; null without smoothing. */
  readonly raw: readonly Series[] | null;
  readonly bands: readonly Band[];
}

/** What a card shows: the answer to `query`, or, where requests failed, what there is of it. */
export interface Picture {
  readonly query: CardQuery;
  readonly layers: readonly LayerData[];
}

type ChangedRuns = ReadonlyMap<string, readonly string[]> | null; // runs by tag

/** What a query needs of one layer: series of one smoothing, or bands; and what of it is there. */
type Part =
  | {
      readonly kind: 'main' | 'raw';
      readonly query: SeriesQuery;
      readonly runs: readonly string[];
      readonly here: ReadonlyMap<string, KeptSeries>;
      /** Runs that the page has to ask for; it smooths the others itself. */
      readonly asked: readonly string[];
    }
  | { readonly kind: 'bands'; readonly query: BandQuery; readonly here: KeptBands | null };
interface Needs extends Layer {
  readonly parts: readonly Part[];
}

/** What the feed of a card shares with the others, and tells them. */
interface Others {
  readonly source: Source;
  woke(feed: Feed): void;
  rested(feed: Feed): void;
  /** Has the cards whose series have grown ask, at the next time for that. */
  refreshSoon(): void;
  isInSight(tag: string): boolean;
  smoothedAnew(feed: Feed): void;
  forget(feed: Feed): void;
  restarted(run: string, tag: string): void;
}

/** Keeps the picture of one card up to date; the old picture stays until the new one is there. */
export class Feed {
  readonly picture = signal<Picture | null>(null);
  readonly busy = signal(false);
  readonly error = new Problem();
  /** Distance of the card from the middle of the screen; asked when a request may start. */
  urgency: () => number = () => 0;
  /** Whether some of the card is on the screen, not only near it. */
  isSeen = true;
  private wanted: CardQuery | null = null;
  private key = '';
  private awake = false;
  private stale = false; // series of the picture have changed, or may have
  private ownSeries: ReadonlyMap<string, KeptSeries> = new Map(); // of the picture, by key
  private ownBands: ReadonlyMap<string, KeptBands> = new Map();
  private working: AbortController | null = null;
  private isMoved = false; // something else is wanted once the requests that are under way have come

  constructor(
    private readonly feeds: Others,
    readonly tag: string,
  ) {}

  /** The card is near the screen and wants the answer to `query`. */
  want(query: CardQuery): void {
    const key = JSON.stringify(query);
    const moved = key !== this.key;
    this.awake = true;
    this.feeds.woke(this);
    if (!moved && !this.stale && (this.working || (this.picture.value && !this.error.value))) return;
    const before = this.wanted;
    this.wanted = query;
    this.key = key;
    if (before && isSmoothedAnew(before, query)) {
      const here = this.show(query);
      this.feeds.forget(this);
      if (here === 'current' && !this.working) this.error.clear();
      else this.feeds.smoothedAnew(this);
      this.busy.value ||= here === 'missing';
      return;
    }
    if (!this.working || !before || shapeOf(before) !== shapeOf(query)) return void this.load();
    this.isMoved = true; // only other runs: what is under way is of use
    this.show(query);
  }

  /** The slider rests: asks once the card is seen, and what is under way has come. */
  follow(): void {
    if (!this.isSeen) this.stale = true;
    else if (this.working) this.isMoved = true;
    else void this.load();
  }

  /** Whether it has come on the screen, or left it. */
  see(isSeen: boolean): void {
    this.isSeen = isSeen;
    if (isSeen) this.wake();
  }

  /** The card has left the screen: nothing is fetched for it until it comes back. */
  rest(): void {
    this.awake = false;
    this.stop();
    this.stale = true;
    this.feeds.rested(this);
  }

  /** Near the screen, with its tab in front, and not covered by a card that fills the page. */
  get isLookedAt(): boolean {
    return this.awake && this.feeds.isInSight(this.tag);
  }

  retry(): void {
    if (this.wanted) void this.load();
  }

  /**
   * The picture with exact values, and with points for a plot of `width` pixels at least. Rejects with the reason why
   * it cannot be had.
   */
  async exact(width = 0): Promise<Picture | null> {
    const { value: picture } = this.picture;
    const isCoarse = picture !== null && picture.query.width < width;
    const isExact = (all: readonly Series[] | null): boolean =>
      !all?.some(({ precision, decimated }) => precision || (isCoarse && decimated));
    if (!picture || picture.layers.every(({ main, raw }) => isExact(main) && isExact(raw))) return picture;
    const query: CardQuery = { ...picture.query, values: 'exact', width: Math.max(picture.query.width, width) };
    const signal = new AbortController().signal;
    const failures = await this.fetch(query, signal);
    if (failures.length > 0) throw failures[0];
    return { query, layers: this.needs(query).map(({ parts, ...layer }) => dataOf(layer, parts)) };
  }

  /** Series of these runs have changed, by tag; null: any may have. */
  changed(runs: ChangedRuns): void {
    if (
      runs &&
      !this.wanted?.layers.some(({ tag, runs: own, around = [] }) => hasAny(runs.get(tag), [...own, ...around]))
    )
      return;
    this.stale = true;
    if (this.isLookedAt) this.feeds.refreshSoon();
  }

  /**
   * Data came, or the slider moved, while the tab was in the back, another card covered this one, or it was not seen.
   */
  wake(): void {
    if (this.isLookedAt && this.stale && this.wanted) void this.load();
  }

  /** Whether it is on the screen, its series have grown, and nothing is asked for yet. */
  get isDue(): boolean {
    return this.stale && this.isSeen && this.isLookedAt && this.wanted !== null && !this.working;
  }

  private stop(): void {
    this.feeds.forget(this);
    this.working?.abort();
    this.working = null;
    this.isMoved = false;
    this.busy.value = false;
  }

  /** Shows what is there and fetches the rest. */
  async load(): Promise<void> {
    this.stop();
    const query = this.wanted;
    if (!query) return;
    this.stale = false;
    const here = this.show(query);
    if (here === 'current') this.error.clear();
    else await this.work(query, here === 'missing');
  }

  private async work(query: CardQuery, isBusy: boolean): Promise<void> {
    const working = new AbortController();
    this.working = working;
    this.busy.value = isBusy;
    const failures = await this.fetch(query, working.signal);
    if (this.working !== working) return;
    const { isMoved, wanted } = this;
    this.working = null;
    this.isMoved = false;
    this.busy.value = false;
    if (failures.length > 0) this.error.set(failures[0]);
    else this.error.clear();
    const isOfUse = wanted && (shapeOf(wanted) === shapeOf(query) || isSmoothedAnew(query, wanted));
    this.show(isOfUse ? wanted : query, true);
    if (isMoved) void this.load();
    else if (this.isDue) this.feeds.refreshSoon();
  }

  /** Everything that is missing or out of date; returns why some of it did not come. */
  private async fetch(query: CardQuery, signal: AbortSignal): Promise<unknown[]> {
    const { source } = this.feeds;
    const ask = { signal, urgency: () => this.urgency() };
    const series = new Map(this.ownSeries);
    const bands = new Map(this.ownBands);
    const failures: unknown[] = [];
    const take = <T>(
      all: Map<string, T>,
      { found, failures: more }: { found: ReadonlyMap<string, T>; failures: unknown[] },
    ): void => {
      for (const [key, kept] of found) all.set(key, kept);
      failures.push(...more);
    };
    const work = async (layer: Layer): Promise<void> => {
      for (let i = 0; ; i++) {
        const part = this.partsOf(query, layer, series)[i]; // what the page smooths comes with the raw series
        if (!part) return;
        if (part.kind !== 'bands')
          take(series, await source.fetchSeries(part.query, this.outdated(part), part.here, ask));
        else if (this.outdated(part).length > 0) take(bands, await source.fetchBands(part.query, ask));
      }
    };
    await Promise.all(query.layers.map(work));
    if (!signal.aborted) [this.ownSeries, this.ownBands] = [series, bands];
    return failures;
  }

  private needs(query: CardQuery): readonly Needs[] {
    return query.layers.map((layer) => ({ ...layer, parts: this.partsOf(query, layer, this.ownSeries) }));
  }

  /** In the order in which they are asked for. */
  private partsOf(query: CardQuery, layer: Layer, own: ReadonlyMap<string, KeptSeries>): readonly Part[] {
    const { tag, runs, around } = layer;
    if (query.group) return [this.bandsOf(query, tag, runs, query.group)];
    const behind = around ? [this.bandsOf(query, tag, around, ALL_RUNS)] : [];
    return [...behind, ...this.seriesOf(query, layer, own)];
  }

  private bandsOf(query: CardQuery, tag: string, runs: readonly string[], group: GroupQuery): Part {
    const banded = { ...query, tag, runs, group };
    return { kind: 'bands', query: banded, here: this.feeds.source.bands(banded, this.ownBands) };
  }

  private seriesOf(query: CardQuery, { tag, runs }: Layer, own: ReadonlyMap<string, KeptSeries>): readonly Part[] {
    const { source } = this.feeds;
    const [raw, main] = [
      { ...query, tag, smoothing: 0 },
      { ...query, tag },
    ];
    const here = source.series(raw, runs, own);
    if (query.smoothing === 0) return [{ kind: 'main', query: main, runs, here, asked: runs }];
    const { exact, drafts } = source.smoothed(main, here, query.raw);
    const asked = runs.filter((run) => !exact.has(run));
    const smooth = new Map([...drafts, ...source.series(main, asked, own), ...exact]);
    return [
      ...(query.raw ? [{ kind: 'raw' as const, query: raw, runs, here, asked: runs }] : []),
      { kind: 'main', query: main, runs, here: smooth, asked },
    ];
  }

  /** Runs of which something is missing or has changed. */
  private outdated(part: Part): readonly string[] {
    const { source } = this.feeds;
    if (part.kind === 'bands') return part.here && source.areCurrent(part.query, part.here) ? [] : part.query.runs;
    return source.outdated(part.query, part.asked, part.here);
  }

  /**
   * Makes the picture of what is there, when that is everything or `anyway`; says whether something is missing or has
   * changed.
   */
  private show(query: CardQuery, anyway = false): 'missing' | 'changed' | 'current' {
    const needs = this.needs(query);
    const parts = needs.flatMap((layer) => layer.parts);
    const isMissing = parts.some((part) => (part.kind === 'bands' ? !part.here : part.here.size < part.runs.length));
    const isEmpty = parts.every((part) => (part.kind === 'bands' ? !part.here : part.here.size === 0));
    if (isMissing && (!anyway || isEmpty)) return 'missing';
    const layers = needs.map(({ parts: own, ...layer }) => dataOf(layer, own));
    if (!isSame(this.picture.value, query, layers)) {
      this.picture.value = { query, layers };
      this.ownSeries = new Map(
        parts.flatMap((part) => (part.kind === 'bands' ? [] : [...part.here.values()])).map((kept) => [kept.key, kept]),
      );
      this.ownBands = new Map(
        parts
          .flatMap((part) => (part.kind === 'bands' && part.here ? [part.here] : []))
          .map((kept) => [kept.key, kept]),
      );
      for (const { main } of layers)
        for (const series of main) if (series.restarts.length > 0) this.feeds.restarted(series.run, series.tag);
    }
    return isMissing ? 'missing' : parts.some((part) => this.outdated(part).length > 0) ? 'changed' : 'current';
  }
}

function dataOf(layer: Layer, parts: readonly Part[]): LayerData {
  const seriesOf = (kind: 'main' | 'raw'): readonly Series[] | null => {
    const part = parts.find((other) => other.kind === kind);
    return part && part.kind !== 'bands' ? part.runs.flatMap((run) => part.here.get(run)?.value ?? []) : null;
  };
  const bands = parts.flatMap((part) => (part.kind === 'bands' ? (part.here?.value ?? []) : []));
  return { ...layer, main: seriesOf('main') ?? [], raw: seriesOf('raw'), bands };
}

function isSame(old: Picture | null, query: CardQuery, layers: readonly LayerData[]): boolean {
  const same = (a: readonly unknown[] | null, b: readonly unknown[] | null): boolean =>
    a === b || (a?.length === b?.length && (a ?? []).every((one, i) => one === b?.[i]));
  return (
    old?.query === query &&
    layers.every(
      (layer, i) =>
        same(layer.main, old.layers[i]?.main ?? null) &&
        same(layer.raw, old.layers[i]?.raw ?? null) &&
        same(layer.bands, old.layers[i]?.bands ?? null),
    )
  );
}

/** Whether nothing else has changed. */
function isSmoothedAnew(before: CardQuery, query: CardQuery): boolean {
  return (
    before.smoothing !== query.smoothing &&
    !query.group &&
    JSON.stringify({ ...before, smoothing: query.smoothing }) === JSON.stringify(query)
  );
}

const hasAny = (changed: readonly string[] | undefined, runs: readonly string[]): boolean =>
  changed !== undefined && runs.some((run) => changed.includes(run));

/** Everything but the runs. */
function shapeOf(query: CardQuery): string {
  return JSON.stringify({ ...query, layers: query.layers.map(({ runs: _, around: __, ...layer }) => layer) });
}
