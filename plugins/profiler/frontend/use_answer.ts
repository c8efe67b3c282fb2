import { isAway } from '@insight-host/kit';
import { Latest } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ProfilerParts } from './board';

export interface Asked<T> {
  /** Of this question, or of the one before while this one is under way. */
  readonly value: T | null;
  readonly error: string | null;
  /** It is asked for again by itself: the host is away, or has nothing of it yet. */
  readonly waits: boolean;
  readonly busy: boolean;
  readonly retry: () => void;
}

/**
 * What a question brings; the last answer stays until the next is there. `key` names what is asked for; null asks for
 * nothing.
 */
export function useAnswer<T>(
  board: ProfilerParts,
  key: string | null,
  ask: (signal: AbortSignal) => Promise<T>,
): Asked<T> {
  const latest = useMemo(() => new Latest<T>(board.queue), []);
  const waits = useSignal(false);
  const wanted = board.page.visible.value ? key : null;
  const noted = async (signal: AbortSignal): Promise<T> => {
    try {
      return await ask(signal);
    } catch (error) {
      waits.value = isAway(error);
      throw error;
    }
  };
  useEffect(() => {
    if (wanted !== null) latest.want(wanted, noted);
  }, [wanted]);
  useEffect(() => () => latest.rest(), []);
  const { value: error } = latest.error;
  return {
    value: key === null ? null : (latest.answer.value?.value ?? null),
    error: key !== null && error?.key === key ? error.reason : null,
    waits: waits.value,
    busy: latest.busy.value,
    retry: () => latest.retry(),
  };
}

const POLL = 1000; // ms

/** An answer about the current profile and the other ranks of its job; requested again while these are being read. */
export function useRanksAnswer<T>(
  board: ProfilerParts,
  route: string,
  query: Readonly<Record<string, string | number | boolean | null>>,
  isReading: (answer: T) => boolean,
): Asked<T> {
  const round = useSignal(0);
  const { value: profile } = board.profiles.profile;
  const all = { ...board.profiles.query.value, ...query };
  const key = profile ? JSON.stringify([route, all, round.value, profile.version, profile.complete]) : null;
  const asked = useAnswer(board, key, (signal) => board.page.ctx.data.json<T>(route, all, { signal }));
  const waits = asked.value !== null && isReading(asked.value);
  const { value: isVisible } = board.page.visible;
  useEffect(() => {
    if (!waits || asked.busy || !isVisible) return;
    const timer = setTimeout(() => round.value++, POLL);
    return () => clearTimeout(timer);
  }, [waits, asked.busy, round.value, isVisible]);
  return asked;
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
  return useAnswer(board, key, (signal) => board.page.ctx.data.json<T>(route, all, { signal }));
}
