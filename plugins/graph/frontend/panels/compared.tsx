/** What routes answer that compare two records, such as graphs or dumps. */
import type { JSX } from 'preact';
import type { GraphRecord } from '../answers';
import type { GraphParts } from '../board';
import { patient } from '../source';
import { useAnswer, type Asked } from '@insight-host/kit/lab';

/** The answer about what is in `after` and not in `before`, and so on, with the parameters of the route in `more`. */
export function useCompared<T>(
  board: GraphParts,
  route: string,
  before: GraphRecord,
  after: GraphRecord,
  more: Readonly<Record<string, string | number | readonly string[]>>,
): Asked<T> {
  const query = {
    run: after.run,
    tag: after.tag,
    index: after.index,
    wall_time: after.wall_time,
    other_run: before.run,
    other_tag: before.tag,
    other_index: before.index,
    ...more,
  };
  return useAnswer(JSON.stringify(query), (signal) =>
    patient(() => board.page.ctx.data.json<T>(route, query, { signal }), signal),
  );
}

/** Shown until an answer is there, and if there is an error. */
export function Awaited({ error }: { readonly error: string | null }): JSX.Element {
  if (!error) return <div class="waiting" aria-busy="true" />;
  return (
    <p class="problem" role="alert">
      {error}
    </p>
  );
}
