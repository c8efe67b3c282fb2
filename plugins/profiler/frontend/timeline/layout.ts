/** Which rows the timeline has, from top to bottom. */
import type { CounterInfo, TrackInfo, TracksAnswer } from './answers';

export const LEVEL = 18; // px from one depth to the next
export const BAR = 16;
export const PAD = 3; // above and below the bars of a track
export const GROUP = 24;
export const COUNTER = 46;

export interface Row {
  readonly kind: 'group' | 'track' | 'counter';
  /** Names it in the URL. */
  readonly key: string;
  readonly label: string;
  /** Next to the label. */
  readonly about: string;
  readonly top: number;
  readonly height: number;
  readonly isOpen: boolean;
  readonly canClose: boolean;
  /** Depths that are drawn. */
  readonly levels: number;
  /** What is drawn in it: one track, or all of a closed group. */
  readonly tracks: readonly number[];
  readonly counter: CounterInfo | null;
}

export interface Layout {
  readonly rows: readonly Row[];
  readonly height: number;
  /** The row that shows a track, even if its group is closed. */
  readonly rowOf: ReadonlyMap<number, Row>;
}

export const NO_ROWS: Layout = { rows: [], height: 0, rowOf: new Map() };

const OF_PROFILER = /\bPyTorch Profiler\b/; // tracks that say only that it ran

/** Keys of the groups that are closed until the user opens them: they hold only what the profiler says of itself. */
export function closedAtFirst(tracks: readonly TrackInfo[]): readonly string[] {
  return tracks
    .filter(({ parent }) => parent === null)
    .filter(({ id }) => {
      const members = tracks.filter(({ parent, slices }) => parent === id && slices > 0);
      return members.length > 0 && members.every(({ label }) => OF_PROFILER.test(label));
    })
    .map(({ id }) => `g${id}`);
}

const byOrder = (a: TrackInfo, b: TrackInfo): number => a.order - b.order || a.id - b.id;

/** Tracks below the process or device they belong to, in their order, those without slices left out; then counters. */
export function layoutOf({ tracks, counters }: TracksAnswer, closed: ReadonlySet<string>): Layout {
  const rows: Row[] = [];
  const rowOf = new Map<number, Row>();
  const quiet = new Set(closedAtFirst(tracks));
  let top = 0;
  const add = (row: Omit<Row, 'top' | 'counter'> & { readonly counter?: CounterInfo }): void => {
    const placed = { counter: null, ...row, top };
    rows.push(placed);
    for (const track of row.tracks) rowOf.set(track, placed);
    top += row.height;
  };
  for (const group of tracks.filter(({ parent }) => parent === null).sort(byOrder)) {
    const members = [group, ...tracks.filter(({ parent }) => parent === group.id).sort(byOrder)].filter(
      ({ slices }) => slices > 0,
    );
    if (members.length === 0) continue;
    const alone = members.length === 1 && members[0] === group;
    if (!alone) {
      const isOpen = !closed.has(`g${group.id}`);
      add({
        kind: 'group',
        key: `g${group.id}`,
        label: group.label,
        about: group.device && group.device !== group.label ? group.device : '',
        height: GROUP,
        isOpen,
        canClose: true,
        levels: isOpen || quiet.has(`g${group.id}`) ? 0 : 1,
        tracks: isOpen ? [] : members.map(({ id }) => id),
      });
      if (!isOpen) continue;
    }
    for (const track of members) {
      const isOpen = !closed.has(`t${track.id}`);
      const levels = isOpen ? track.levels : 1;
      add({
        kind: 'track',
        key: `t${track.id}`,
        label: track.label,
        about: '',
        height: 2 * PAD + levels * LEVEL,
        isOpen,
        canClose: track.levels > 1,
        levels,
        tracks: [track.id],
      });
    }
  }
  const shown = counters.filter(({ points }) => points > 0);
  for (const group of new Set(shown.map((counter) => counter.group))) {
    const isOpen = !closed.has(`c-${group}`);
    add({
      kind: 'group',
      key: `c-${group}`,
      label: group,
      about: '',
      height: GROUP,
      isOpen,
      canClose: true,
      levels: 0,
      tracks: [],
    });
    if (!isOpen) continue;
    for (const counter of shown.filter((one) => one.group === group)) {
      add({
        kind: 'counter',
        key: `n${counter.id}`,
        label: counter.label,
        about: counter.device ?? '',
        height: COUNTER,
        isOpen: true,
        canClose: false,
        levels: 0,
        tracks: [],
        counter,
      });
    }
  }
  return { rows, height: top, rowOf };
}

/** Place of the row at `y`, or of the next below it. */
export function rowAt({ rows }: Layout, y: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle] as Row;
    if (row.top + row.height <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows that reach into the stretch from `top` to `bottom`. */
export function rowsBetween(layout: Layout, top: number, bottom: number): readonly Row[] {
  const first = rowAt(layout, top);
  let last = first;
  while (last < layout.rows.length && (layout.rows[last] as Row).top < bottom) last++;
  return layout.rows.slice(first, last);
}

/** Top of the bars of a depth; what is deeper than its row shows is on the last level that it does. */
export function barTop(row: Row, depth: number): number {
  return row.kind === 'group'
    ? row.top + (row.height - BAR) / 2
    : row.top + PAD + Math.min(depth, row.levels - 1) * LEVEL;
}
