/** Questions about the current profile, and what is shown until they are answered, or are not. */
import { Empty } from '@insight-host/kit';
import { type Asked, type AskOptions, useAnswer } from '@insight-host/kit/lab';
import type { ProfilerParts } from './board';
import type { JSX } from 'preact';

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

interface StateProps<T> {
  readonly board: ProfilerParts;
  readonly asked: Asked<T>;
  readonly children: (value: T) => JSX.Element;
}

/** What a question brought, or why it brought nothing; the last answer stays in sight with the reason above it. */
export function Answered<T>({ board, asked, children }: StateProps<T>): JSX.Element {
  const { value, error, waits, busy, retry } = asked;
  const again = (
    <button type="button" data-action="retry" onClick={retry}>
      {board.page.t('retry')}
    </button>
  );
  if (value === null)
    return error === null || waits ? (
      <div class="waiting" aria-busy={busy || waits}>
        {error !== null && (
          <p class="hint waits" role="status">
            {error}
          </p>
        )}
      </div>
    ) : (
      <Empty title={board.page.t('failure.view')} text={error}>
        {again}
      </Empty>
    );
  return (
    <>
      {error !== null && (
        <p class="problem" role="status">
          {error} {again}
        </p>
      )}
      {children(value)}
    </>
  );
}
