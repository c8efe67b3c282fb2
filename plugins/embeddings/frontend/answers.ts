/** What the routes of the plugin answer. */
import type { Columns, Reason } from '@insight-host/api';
import type { RunLists } from '@insight-host/kit/lists';

export interface Listed {
  /** Unique in its run. */
  readonly name: string;
  /** The name without the step. */
  readonly group: string;
  readonly step: number | null;
  readonly file: string;
  /** Another text whenever a file of the embedding changes. */
  readonly version: string;
  readonly has_metadata: boolean;
  readonly picture_size: readonly [width: number, height: number] | null;
  readonly problem: Reason | null;
  readonly missing: readonly Reason[];
}
export interface RunEmbeddings {
  readonly run: string;
  readonly embeddings: readonly Listed[];
  readonly errors: readonly Reason[];
}
/** Which embeddings the selected runs have. */
export type Lists = RunLists<RunEmbeddings>;

/** Points along their principal components. */
export interface Points {
  readonly points: number;
  readonly dimensions: number;
  readonly components: number;
  /** Parts of the whole variance, by component. */
  readonly shares: readonly number[];
  /** Points with a NaN or infinity. */
  readonly not_finite: number;
  /** Component after component; NaN for points that are not finite. */
  readonly coordinates: Float32Array;
}

export function pointsOf(columns: Columns): Points {
  const described = JSON.parse(columns.metadata['points'] ?? '{}') as Omit<Points, 'coordinates'>;
  return { ...described, coordinates: columns.column('coordinates') as Float32Array };
}

/** One column of the metadata: the label of point i is `labels[codes[i]]`. */
export interface Column {
  readonly name: string;
  readonly labels: readonly string[];
  readonly codes: readonly number[];
  readonly is_number: boolean;
}

export interface Neighbours {
  readonly points: readonly number[];
  readonly distances: readonly number[];
}
