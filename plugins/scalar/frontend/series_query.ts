/** What is asked of the host for one series or for bands, and what is kept of the answers. */
import type { Axis } from './axis';
import type { Range } from './codecs';
import type { GroupQuery } from './grouping';
import type { Band, Series } from './series';
import type { Smoother } from './smoothers';

/** Which points of one series of a tag are asked for; the run is separate. */
export interface SeriesQuery {
  readonly tag: string;
  readonly x: Axis;
  readonly logX: boolean;
  readonly window: Range | null;
  readonly width: number;
  readonly smoothing: number;
  readonly smoother: Smoother;
  readonly attempts: 'last' | 'all';
  /** How exact values have to be: as recorded, or to a fraction of a pixel of a linear or logarithmic axis. */
  readonly values: 'exact' | 'linear' | 'log';
  /** Whether wall times are needed. */
  readonly times: boolean;
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
