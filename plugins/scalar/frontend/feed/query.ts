/** What is asked of the host for one series or for the bands of groups, and what is kept of the answers. */
import type { Page, Setting } from '@insight-host/kit';
import { computed, effect, untracked, type ReadonlySignal as Live } from '@preact/signals';
import type { Axis } from '../card/axis';
import type { Range } from '../card/zooms';
import type { Band, Series } from './series';
import type { Smoother } from './smoothing';

export type Centre = 'mean' | 'median';
export const CENTRES: readonly Centre[] = ['mean', 'median'];
export type Spread = 'minmax' | 'std' | 'sem' | 'ci95' | 'iqr';
export const SPREADS: readonly Spread[] = ['minmax', 'std', 'sem', 'ci95', 'iqr'];

const NAME_PART = 'name~'; // see PluginContext.runs.groupBy
const DIRECTORY = '^(?:(.*)/)?[^/]*$'; // what `path` is as an expression

/** How bands are made; these are parameters of the route `bands`. */
export interface GroupQuery {
  /** A regular expression of names of runs. */
  readonly group: string | null;
  /** Columns of the run table. */
  readonly by: readonly string[];
  readonly centre: Centre;
  readonly spread: Spread;
}

/** All runs as one group. */
export const ALL_RUNS: GroupQuery = { group: '^', by: [], centre: 'median', spread: 'iqr' };

/** Whether the spread lies around this centre: deviations and errors lie around the mean only. */
export function fitsCentre(spread: Spread, centre: Centre): boolean {
  return centre === 'mean' || spread === 'minmax' || spread === 'iqr';
}

export class Grouping {
  private readonly keys: Live<readonly string[]>;
  /** Whether cards show groups. */
  readonly isOn: Live<boolean>;

  /** `expression` and `columns` are keys of the last release: what an address has in them goes to the run panel. */
  constructor(page: Page, expression: Setting<string>, columns: Setting<readonly string[]>) {
    const { groupBy } = page.ctx.runs;
    this.keys = page.follow(groupBy);
    this.isOn = computed(() => this.keys.value.length > 0);
    page.until(
      effect(() => {
        const moved = [...columns.value, ...(expression.value ? [NAME_PART + expression.value] : [])];
        if (moved.length === 0) return;
        untracked(() => {
          groupBy.set(moved);
          expression.set('');
          columns.set([]);
        });
      }),
    );
  }

  /** How cards ask for bands; null: for single runs. */
  query(centre: Centre, spread: Spread): GroupQuery | null {
    const { value: keys } = this.keys;
    if (keys.length === 0) return null;
    const part = keys.find((key) => key.startsWith(NAME_PART))?.slice(NAME_PART.length);
    const by = keys.filter((key) => key.includes('/') && !key.startsWith(NAME_PART));
    return { group: part ?? (keys.includes('path') ? DIRECTORY : null), by, centre, spread };
  }
}

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
