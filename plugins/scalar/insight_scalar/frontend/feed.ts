import { signal } from '@preact/signals';
import type { Query, XKind } from 'insight-host';
import { message, portions } from 'insight-host/kit';
import type { ScalarBoard } from './board';
import type { Range } from './codecs';
import { decodeBands, decodeSeries, lastX, mergeTail, type Band, type Series } from './series';

export interface Layer {
  readonly tag: string;
  readonly runs: readonly string[];
  readonly axis: 'left' | 'right';
}

/** All that decides what a card has to fetch. */
export interface CardQuery {
  readonly layers: readonly Layer[];
  readonly x: XKind;
  readonly logX: boolean;
  readonly window: Range | null;
  readonly width: number;
  readonly smoothing: number;
  readonly attempts: 'last' | 'all';
  readonly group: string;
  readonly spread: 'minmax' | 'std';
}

export interface LayerData extends Layer {
  readonly main: readonly Series[];
  /** Not smoothed; null without smoothing. */
  readonly raw: readonly Series[] | null;
  readonly bands: readonly Band[];
}

/** What a card shows: the answer to `query`. */
export interface Picture {
  readonly query: CardQuery;
  readonly layers: readonly LayerData[];
}

const FEW = 20; // runs whose names go into a URL at no cost

type ChangedRuns = ReadonlyMap<string, readonly string[]> | null;

/** Fetches what one card shows; the old picture stays until the new one is there. */
export class Feed {
  readonly picture = signal<Picture | null>(null);
  readonly busy = signal(false);
  readonly error = signal<string | null>(null);
  /** Distance of the card from the middle of the screen; asked when a request may start. */
  urgency: () => number = () => 0;
  private wanted: CardQuery | null = null;
  private key = '';
  private awake = false;
  private stale = false;
  private pending: ChangedRuns | undefined; // changes that arrived during a request
  private working: AbortController | null = null;

  constructor(
    private readonly board: ScalarBoard,
    readonly tag: string,
  ) {}

  /** The card is near the screen and wants the answer to `query`. */
  want(wanted: CardQuery): void {
    const query = this.hasAll(wanted) ? { ...wanted, window: null, width: this.wanted?.width ?? wanted.width } : wanted;
    const key = JSON.stringify(query);
    const moved = key !== this.key;
    this.awake = true;
    if (!moved && !this.stale && (this.working || (this.picture.value && !this.error.value))) return;
    this.wanted = query;
    this.key = key;
    this.fetch(moved || !this.picture.value);
  }

  /** Every point is here already, so that a window of them needs no request. */
  private hasAll(wanted: CardQuery): boolean {
    const { value } = this.picture;
    if (!wanted.window || !value || value.query.window || value.layers.some((l) => [...l.main, ...(l.raw ?? []), ...l.bands].some((s) => s.decimated))) return false;
    const rest = (query: CardQuery): string => JSON.stringify({ ...query, window: null, width: 0 });
    return rest(wanted) === rest(value.query);
  }

  /** The card has left the screen: nothing is fetched for it until it comes back. */
  rest(): void {
    this.awake = false;
    if (this.working) {
      this.stop();
      this.stale = true;
    }
    this.board.feeds.rested(this);
  }

  get isAwake(): boolean {
    return this.awake;
  }

  retry(): void {
    if (this.wanted) this.fetch(true);
  }

  changed(runs: ChangedRuns): void {
    if (runs && !this.wanted?.layers.some((layer) => layer.runs.some((run) => runs.get(layer.tag)?.includes(run)))) return;
    if (!this.awake || !this.board.visible.value) {
      this.stale = true;
    } else if (this.working) {
      this.pending = this.pending === null || !runs ? null : merged(this.pending, runs);
    } else if (runs && this.picture.value) {
      void this.append(runs);
    } else {
      this.fetch(false);
    }
  }

  /** Data came while the tab was in the back. */
  wake(): void {
    if (this.awake && this.stale && this.wanted) this.fetch(false);
  }

  private stop(): void {
    this.working?.abort();
    this.working = null;
    this.busy.value = false;
  }

  private fetch(showBusy: boolean): void {
    this.stop();
    const query = this.wanted;
    if (!query) return;
    this.stale = false;
    this.pending = undefined;
    this.busy.value = showBusy;
    void this.work(async (signal) => {
      const layers = await Promise.all(query.layers.map((layer) => this.layer(query, layer, signal)));
      if (signal.aborted) return;
      this.picture.value = { query, layers };
      for (const { main } of layers) for (const series of main) if (series.restarts.length > 0) this.board.restarted(series.run, series.tag);
    });
  }

  private async work(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const working = new AbortController();
    this.working = working;
    try {
      await task(working.signal);
      if (this.working === working) this.error.value = null;
    } catch (error) {
      if (this.working === working) this.error.value = message(error);
    }
    if (this.working !== working) return;
    this.working = null;
    this.busy.value = false;
    const { pending } = this;
    this.pending = undefined;
    if (pending !== undefined && !this.error.value) this.changed(pending);
  }

  private async layer(query: CardQuery, layer: Layer, signal: AbortSignal): Promise<LayerData> {
    if (query.group) {
      const bands = await this.ask(layer.runs, signal, (runs) => ({ ...parameters(query, layer, query.smoothing), ...runs, group: query.group, spread: query.spread }), 'bands', decodeBands);
      return { ...layer, main: [], raw: null, bands };
    }
    const [main, raw] = await Promise.all([
      this.series(query, layer, query.smoothing, signal),
      query.smoothing > 0 ? this.series(query, layer, 0, signal) : null,
    ]);
    return { ...layer, main, raw, bands: [] };
  }

  private async series(query: CardQuery, layer: Layer, smoothing: number, signal: AbortSignal): Promise<readonly Series[]> {
    const base = parameters(query, layer, smoothing);
    const key = JSON.stringify([base, layer.runs]);
    const known = this.board.feeds.recall(key);
    if (known) return known;
    const found = await this.ask(layer.runs, signal, (runs) => ({ ...base, ...runs }), 'series', decodeSeries);
    if (!signal.aborted) this.board.feeds.remember(key, layer.tag, found);
    return found;
  }

  /** Asks for runs in as many requests as their names need; `whole`: for all that are selected, which need no names when they are all there are. */
  private async ask<T>(
    runs: readonly string[],
    signal: AbortSignal,
    query: (runs: { run?: readonly string[] }) => Query,
    route: string,
    decode: (columns: Awaited<ReturnType<ScalarBoard['ctx']['data']['columns']>>) => T[],
    whole = true,
  ): Promise<T[]> {
    const { ctx, allRuns, runs: selected, feeds } = this.board;
    const all = whole && selected.value.length > FEW && selected.value.length === allRuns.value.length;
    const names = all ? [undefined] : route === 'bands' ? [runs] : portions(runs);
    const answers = await Promise.all(
      names.map((run) => feeds.queue.run(this.urgency, signal, () => ctx.data.columns(route, query(run ? { run } : {}), { signal }))),
    );
    return answers.flatMap(decode);
  }

  /** Fetches what was appended to some runs; where that does not fit what is there, everything. */
  private async append(changes: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const picture = this.picture.value;
    const query = this.wanted;
    if (!picture || !query || picture.query !== query || query.group || query.window) {
      this.fetch(false);
      return;
    }
    let fits = true;
    await this.work(async (signal) => {
      const layers = await Promise.all(
        picture.layers.map(async (layer) => {
          const runs = layer.runs.filter((run) => changes.get(layer.tag)?.includes(run));
          const main = await this.tail(query, layer, layer.main, runs, query.smoothing, signal);
          const raw = layer.raw && (await this.tail(query, layer, layer.raw, runs, 0, signal));
          fits &&= main !== null && (raw !== null || layer.raw === null);
          return { ...layer, main: main ?? layer.main, raw };
        }),
      );
      if (fits && !signal.aborted) this.picture.value = { query, layers };
    });
    if (!fits) this.fetch(false);
  }

  private async tail(query: CardQuery, layer: Layer, old: readonly Series[], runs: readonly string[], smoothing: number, signal: AbortSignal): Promise<readonly Series[] | null> {
    if (runs.length === 0) return old;
    const known = new Map(old.map((series) => [series.run, series]));
    if (runs.some((run) => !known.has(run) || known.get(run)?.decimated)) return null;
    const from = Math.min(...runs.map((run) => lastX(known.get(run) as Series, query.x)));
    const base = { ...parameters(query, layer, smoothing), from: Number.isFinite(from) ? from : null };
    const tails = await this.ask(runs, signal, (names) => ({ ...base, ...names }), 'series', decodeSeries, false);
    for (const tail of tails) {
      const merge = mergeTail(known.get(tail.run) as Series, tail, from, query.x);
      if (!merge || merge.points > 4 * query.width) return null;
      known.set(tail.run, merge);
    }
    return old.map((series) => known.get(series.run) as Series);
  }
}

function parameters(query: CardQuery, layer: Layer, smoothing: number): Query {
  return {
    tag: layer.tag,
    x: query.x,
    xscale: query.logX ? 'log' : null,
    from: query.window?.[0],
    to: query.window?.[1],
    width: query.width,
    smoothing: smoothing || null,
    attempts: query.attempts,
    format: 'safetensors',
  };
}

function merged(a: ReadonlyMap<string, readonly string[]> | undefined, b: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const all = new Map(a ?? []);
  for (const [tag, runs] of b) all.set(tag, [...new Set([...(all.get(tag) ?? []), ...runs])]);
  return all;
}
