/**
 * What answers for the host half of a plugin in a snapshot, a file that shows a view without a host: the default export
 * of `snapshot.js`, next to `index.js`. Plugins without it are not in snapshots.
 */
import type { API } from './values';

export interface Snapshot {
  readonly apiVersion: typeof API;
  /** `packed` is what the route `snapshot` of the plugin answered when the file was made. */
  open(packed: ArrayBuffer): SnapshotAnswers | Promise<SnapshotAnswers>;
}

export interface SnapshotAnswers {
  /** How many attempts each series has, by run and tag. */
  readonly series: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The answer to a route of the plugin (`series`); null where the snapshot has none. */
  answer(route: string, query: URLSearchParams): Response | null | Promise<Response | null>;
}
