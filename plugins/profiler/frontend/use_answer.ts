import { useAnswer, type Asked, type AskOptions } from '@insight-host/kit/lab';
import type { ProfilerParts } from './board';

/** Questions of a view are asked while the tab is in front, as many at a time as the tab asks. */
export function asking<T>(board: ProfilerParts): AskOptions<T> {
  return { queue: board.queue, visible: board.page.visible.value };
}

/** An answer about the current profile and the other ranks of its job; requested again while these are being read. */
export function useRanksAnswer<T>(
  board: ProfilerParts,
  route: string,
  query: Readonly<Record<string, string | number | boolean | null>>,
  isReading: (answer: T) => boolean,
): Asked<T> {
  const { value: profile } = board.profiles.profile;
  const all = { ...board.profiles.query.value, ...query };
  const key = profile ? JSON.stringify([route, all, profile.version, profile.complete]) : null;
  return useAnswer(key, (signal) => board.page.ctx.data.json<T>(route, all, { signal }), {
    ...asking(board),
    poll: isReading,
  });
}

/**
 * The answer of a route for the current profile; requested again when more of it was read, keeping the old answer until
 * then.
 */
export function useProfileAnswer<T>(
  board: ProfilerParts,
  route: string,
  query: Readonly<Record<string, string | number | boolean | null>> = {},
): Asked<T> {
  const { value: profile } = board.profiles.profile;
  const all = { ...board.profiles.query.value, ...query };
  const key =
    profile && profile.state !== 'failed' ? JSON.stringify([route, all, profile.version, profile.complete]) : null;
  return useAnswer(key, (signal) => board.page.ctx.data.json<T>(route, all, { signal }), asking(board));
}
