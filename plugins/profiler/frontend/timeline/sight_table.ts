/** The slices in sight as rows of a table. */
import type { ChartData } from '@insight-host/kit/table';
import type { Page } from '@insight-host/kit';
import { slicesOf, type Slices, type TracksAnswer } from './answers';
import type { Layout } from './layout';
import type { Stage } from './stage';

/**
 * A row for each bar, from the top of the timeline to its bottom and in the order of time; times in nanoseconds. Slices
 * narrower than a column of the screen are one row, as they are one bar.
 */
export function sliceTable(
  { t: say }: Pick<Page, 't'>,
  { tracks }: TracksAnswer,
  { rows }: Layout,
  answer: Slices,
): ChartData {
  const known = new Map(tracks.map((track) => [track.id, track]));
  const nameOf = (id: number): string => {
    const track = known.get(id);
    const parent = track?.parent == null ? null : known.get(track.parent);
    return [parent?.label, track?.label].filter(Boolean).join(' / ');
  };
  return {
    head: [
      say('timeline.track'),
      say('column.name'),
      `${say('column.start')} (ns)`,
      `${say('column.duration')} (ns)`,
      say('timeline.slices'),
    ],
    rows: rows.flatMap((row) =>
      row.tracks
        .flatMap((track) => answer.lanes.get(track) ?? [])
        .filter(({ depth }) => depth < row.levels)
        .flatMap(({ track, low, high }) =>
          Array.from({ length: high - low }, (_, i) => [
            nameOf(track),
            answer.names.get(answer.name[low + i] as number) ?? '',
            answer.start[low + i] as number,
            answer.duration[low + i] as number,
            answer.merged[low + i] as number,
          ]),
        ),
    ),
  };
}

/**
 * Asks for the selected range, or for what is in sight, at the scale of the screen; the answer has at most 500,000
 * rows.
 */
export async function tableOfSight({ state, inSight }: Stage): Promise<ChartData | null> {
  const { value: answered } = state.tracks;
  if (!answered) return null;
  const { from, to, tracks = null } = state.subject.value;
  const asked = tracks ?? inSight;
  const width = Math.max(1, Math.min(10_000, Math.round(state.width.value)));
  const query = { ...state.board.profiles.query.value, from: Math.floor(from), to: Math.ceil(to), width };
  const columns = await state.page.ctx.data.columns('slices', { ...query, tracks: asked.join() });
  return sliceTable(state.page, answered, state.layout.value, slicesOf(columns, new Set(asked), width));
}
