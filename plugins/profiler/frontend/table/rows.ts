/** Rows of a route about the current profile. */
import { ServedRows } from '@insight-host/kit/table';
import { useEffect, useMemo } from 'preact/hooks';
import type { Row, TableAnswer } from '../answers/table';
import type { ProfilerParts } from '../board';

export type Query = Readonly<Record<string, string | number | boolean | null>>;

/** Paginated rows of a route; requested again when more of the profile was read. */
export function useRows<A extends TableAnswer>(
  board: ProfilerParts,
  route: string,
  query: Query,
): { readonly rows: ServedRows<Row, A>; readonly question: string; readonly query: Query } {
  const rows = useMemo(() => new ServedRows<Row, A>({ queue: board.queue }), []);
  const { value: profile } = board.profiles.profile;
  const all = { ...board.profiles.query.value, ...query };
  const question = JSON.stringify([route, all]);
  const key = `${question}${profile?.version ?? ''}${profile?.complete ?? ''}`;
  const isAsked = board.page.visible.value && profile !== null && profile.state !== 'failed';
  useEffect(() => {
    if (isAsked)
      rows.want(key, (offset, limit, signal) =>
        board.page.ctx.data.json<A>(route, { ...all, offset, limit }, { signal }),
      );
  }, [key, isAsked]);
  useEffect(() => () => rows.stop(), []);
  return { rows, question, query: all };
}
