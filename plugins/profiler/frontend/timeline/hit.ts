/** Finds the slice at a position, and its neighbours. */
import { firstFrom, type BriefSlice, CATEGORY_NAMES, type Lane, type Slices } from './answers';
import { BAR, barTop, rowAt, type Layout, type Row } from './layout';
import { layersOf } from './store';
import { lengthOf, type Span } from './span';

export interface Hit extends BriefSlice {
  /** How many slices are drawn as this one. */
  readonly merged: number;
  readonly row: Row;
}

export interface View {
  readonly layout: Layout;
  readonly span: Span;
  /** px */
  readonly width: number;
  readonly answers: readonly Slices[];
}

const NEAR = 2; // px

export function hitOf(answer: Slices, lane: Lane, at: number, row: Row): Hit {
  return {
    id: answer.id[at] as number,
    name: answer.names.get(answer.name[at] as number) ?? '',
    track: lane.track,
    depth: lane.depth,
    start: answer.start[at] as number,
    duration: answer.duration[at] as number,
    category: CATEGORY_NAMES[answer.category[at] as number] ?? 'other',
    merged: answer.merged[at] as number,
    row,
  };
}

/** The slice at `x` px of the picture and `y` px from the top of all rows; narrow slices also within some pixels. */
export function hitAt(view: View, x: number, y: number): Hit | null {
  const row = view.layout.rows[rowAt(view.layout, y)];
  if (!row || row.tracks.length === 0) return null;
  const scale = lengthOf(view.span) / view.width;
  const time = view.span.from + x * scale;
  let nearest: Hit | null = null;
  let distance = NEAR * scale;
  for (const track of row.tracks) {
    const answers = layersOf(view.answers, track, view.span, scale);
    const answer = answers.findLast((one) => one.from <= time && one.to >= time);
    for (const lane of answer?.lanes.get(track) ?? []) {
      if (!answer || lane.depth >= row.levels) break;
      const top = barTop(row, lane.depth);
      if (y < top || y >= top + BAR) continue;
      for (let i = firstFrom(answer, lane, time - distance); i < lane.high; i++) {
        const [start, end] = [answer.start[i] as number, (answer.start[i] as number) + (answer.duration[i] as number)];
        if (start > time + distance) break;
        const away = Math.max(0, start - time, time - end);
        if (nearest === null || away < distance) {
          nearest = hitOf(answer, lane, i, row);
          distance = away;
        }
        if (away === 0) return nearest;
      }
    }
  }
  return nearest;
}

/** The neighbour of a drawn slice: before (-1) or after (1) it on its lane, or the first within it (`in`). */
export function neighbour(
  view: View,
  { track, depth, start, duration, id }: BriefSlice,
  where: -1 | 1 | 'in',
): Hit | null {
  const row = view.layout.rowOf.get(track);
  const answer = layersOf(view.answers, track, view.span, lengthOf(view.span) / view.width).at(-1);
  const lane = answer?.lanes.get(track)?.find((one) => one.depth === (where === 'in' ? depth + 1 : depth));
  if (!row || !answer || !lane) return null;
  let at = firstFrom(answer, lane, start);
  while (where !== 'in' && at < lane.high && answer.id[at] !== id && (answer.start[at] as number) <= start) at++;
  if (where === 'in') {
    while (at < lane.high && (answer.start[at] as number) < start) at++;
    return at < lane.high && (answer.start[at] as number) <= start + duration ? hitOf(answer, lane, at, row) : null;
  }
  const next = at + where;
  return next >= lane.low && next < lane.high ? hitOf(answer, lane, next, row) : null;
}

/** The first slice in the middle of what is in sight, from the top. */
export function firstIn(view: View): Hit | null {
  const middle = (view.span.from + view.span.to) / 2;
  for (const row of view.layout.rows) {
    for (const track of row.tracks) {
      const answer = layersOf(view.answers, track, view.span, lengthOf(view.span) / view.width).at(-1);
      const lane = answer?.lanes.get(track)?.[0];
      if (!answer || !lane) continue;
      const at = Math.min(firstFrom(answer, lane, middle), lane.high - 1);
      return hitOf(answer, lane, at, row);
    }
  }
  return null;
}
