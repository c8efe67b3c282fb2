import type { Marker, Run } from '@insight-host/api';
import type { Mark } from '@insight-host/kit/lines';
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { layersOf, type ScalarParts } from '../board';
import type { Picture } from '../feed/feed';
import { placeOf } from '../feed/series';
import { isPanelKey } from '../panels/panels';

/** A mark of a plugin, at its place in a chart. */
export interface PlacedMarker extends Mark {
  readonly marker: Marker;
}

/** The marks that a card draws, and how many more there are. */
interface Drawn {
  readonly marks: readonly PlacedMarker[];
  readonly more: number;
}

export const MOST_MARKS = 1000; // of a card: a line each, and what the pointer is compared with
const NO_RUNS: readonly Run[] = [];

/** At most `MOST_MARKS`, evenly. */
export function drawn(marks: readonly PlacedMarker[]): Drawn {
  if (marks.length <= MOST_MARKS) return { marks, more: 0 };
  const share = marks.length / MOST_MARKS;
  const some = Array.from({ length: MOST_MARKS }, (_, at) => marks[Math.floor(at * share)] as PlacedMarker);
  return { marks: some, more: marks.length - MOST_MARKS };
}

/** The marks that plugins have for the chart of a tag. `times`: whether wall times are needed to place them. */
export function useMarkers(board: ScalarParts, tag: string, picture: Picture | null, times: Signal<boolean>): Drawn {
  const found = useSignal<readonly Marker[]>([]);
  const contributed = board.contributed.value;
  const isVisible = board.page.visible.value;
  const tags = layersOf(board, tag).map((layer) => layer.tag);
  const key = JSON.stringify(tags);
  const byTag = board.tags.runsByTag.value;
  const shown = useMemo(() => {
    const [first = NO_RUNS, ...more] = tags.map((one) => byTag.get(one) ?? NO_RUNS);
    return more.length > 0 && isPanelKey(tag) ? [...new Set([...first, ...more.flat()])] : first;
  }, [byTag, key]);
  // the same while no run came or left
  const names = useMemo(() => JSON.stringify(shown.map((run) => run.name)), [shown]);
  useEffect(() => {
    if (!isVisible) return;
    const chart = { tags, runs: JSON.parse(names) as readonly string[] };
    return contributed.markers(chart, (markers) => {
      found.value = markers;
      times.value = markers.some(({ step, wallTime }) => step === undefined && wallTime !== undefined);
    });
  }, [contributed, isVisible, tag, key, names]);
  const { value: markers } = found;
  const theme = board.page.theme.value;
  return useMemo(
    () => drawn(picture ? placed(markers, picture, shown, theme.token('--muted')) : []),
    [markers, picture, shown, theme],
  );
}

/** Marks of these runs, or of none, that have a place on the axis of the picture. */
export function placed(
  markers: readonly Marker[],
  { query, layers }: Picture,
  runs: readonly Run[],
  plain: string,
): readonly PlacedMarker[] {
  const all = layers.flatMap((layer) => layer.main);
  return markers.flatMap((marker): PlacedMarker[] => {
    const run = runs.find(({ name }) => name === marker.run);
    if (marker.run !== undefined && !run) return [];
    const series = run ? all.find((one) => one.run === run.name) : all[0];
    const x = placeOf(marker, query.x, series);
    if (x === undefined) return [];
    return [{ x, color: marker.color ?? run?.color ?? plain, text: marker.text, marker }];
  });
}
