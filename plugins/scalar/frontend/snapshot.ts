/** Answers for the host half of the Metrics tab in a snapshot, from series that are there with every point. */
import { API, type Snapshot } from '@insight-host/api';
import { isMetric } from './card/axis';
import { expressionOf, plainTag } from './derived';
import { answered, csvOf, frameOf, jsonOf, queryOf, summariesOf } from './offline/answers';
import { unpacked, type PackedBands, type PackedSeries } from './offline/packed_series';

const NOT_HERE = 'this axis is not part of the snapshot';
const TYPE = { headers: { 'Content-Type': 'application/octet-stream' } };

export default {
  apiVersion: API,
  open(packed) {
    const { series, bands, layouts } = unpacked(packed);
    const keyOf = (run: string, tag: string, attempts: string): string => JSON.stringify([run, tag, attempts]);
    const known = new Map(series.map((one) => [keyOf(one.run, one.tag, one.attempts), one]));
    const byRun = new Map<string, Map<string, number>>();
    for (const { run, tag, restarts } of series) {
      if (tag.startsWith('=')) continue; // the tab computes these itself
      const tags = byRun.get(run) ?? new Map<string, number>();
      byRun.set(run, tags.set(tag, restarts.length + 1));
    }
    /** Of runs and tags in their order; of series without restarts both kinds of attempts are the same. */
    const find = (query: URLSearchParams, named: readonly string[]): readonly PackedSeries[] =>
      query
        .getAll('tag')
        .flatMap((tag) => named.map((run) => [run, tag] as const))
        .flatMap(([run, tag]) => {
          const attempts = query.get('attempts') ?? 'last';
          return known.get(keyOf(run, tag, attempts)) ?? known.get(keyOf(run, tag, 'last')) ?? [];
        });
    /** The series of each run that is the axis: a tag, or a computed series that the view has. */
    const axisOf = (axis: string): ((run: string) => PackedSeries | undefined) => {
      const tag = plainTag(expressionOf(axis) ?? '');
      const key = tag !== null && series.some((one) => one.tag === tag) ? tag : axis;
      if (tag === null && !series.some((one) => one.tag === axis)) throw new Error(NOT_HERE);
      return (run) => known.get(keyOf(run, key, 'last'));
    };
    const answers = (query: URLSearchParams, named: readonly string[]): ReturnType<typeof answered>[] => {
      const asked = queryOf(query);
      const axis = isMetric(asked.x) ? axisOf(asked.x) : undefined;
      return find(query, named).map((one) => answered(one, asked, axis?.(one.run)));
    };
    const runsOf = (query: URLSearchParams): readonly string[] => {
      const named = query.getAll('run');
      return named.length > 0 ? named : [...byRun.keys()];
    };

    const cards = (query: URLSearchParams): Response => {
      const runs = runsOf(query);
      const frames = query.getAll('card').map((text, place) => {
        const { runs: places, ...given } = JSON.parse(text) as Record<string, unknown> & { runs?: readonly number[] };
        const own = new URLSearchParams(Object.entries(given).map(([key, value]) => [key, String(value)]));
        const named = places ? places.map((at) => runs[at] as string) : runs;
        return frameOf(answers(own, named), { card: String(place) });
      });
      return new Response(new Blob(frames.flatMap((frame) => [new Uint32Array([frame.byteLength]), frame])), TYPE);
    };

    return {
      series: byRun,
      answer(route, query) {
        if (route === 'cards') return cards(query);
        if (route === 'bands') return bandsFor(bands, query);
        if (route === 'layouts') return Response.json({ categories: layouts });
        if (route !== 'series' && route !== 'summaries') return null;
        const found = answers(query, runsOf(query));
        if (route === 'summaries') return summariesOf(found, query.get('of') ?? 'last');
        return query.get('format') === 'csv' ? csvOf(found, query.get('x')) : jsonOf(found);
      },
    };
  },
} satisfies Snapshot;

/** Groups are those that the view had when it was saved: others are not computed without the host. */
function bandsFor(bands: readonly PackedBands[], query: URLSearchParams): Response | null {
  const found = bands.find(
    ({ tag, query: made }) =>
      query.get('tag') === tag &&
      [...new Set([...Object.keys(made), 'smoothing', 'group', 'by'])].every(
        (key) => key === 'smoother' || [made[key] ?? []].flat().join('\n') === query.getAll(key).join('\n'),
      ),
  );
  return found ? new Response(found.content, TYPE) : null;
}
