import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Latest } from './latest';
import { RequestQueue } from './requests';

/** What a question brings. */
export interface Asked<T> {
  /** The answer to the question, or until it is there the one before. */
  readonly value: T | null;
  /** Whether `value` answers the question. */
  readonly isFresh: boolean;
  /** The error if the question could not be answered. */
  readonly error: string | null;
  /** The host is away: it is asked again by itself. */
  readonly waits: boolean;
  /** The answer is under way. */
  readonly busy: boolean;
  retry(): void;
}

export interface AskOptions<T> {
  /** With whose requests it shares the limit of requests at a time; without it, with nobody's. */
  readonly queue?: RequestQueue;
  /** That of the queue: the smallest goes first. */
  readonly urgency?: () => number;
  /** False: nothing is asked for now, as while another tab is in front. */
  readonly visible?: boolean;
  /** What the questions are about: answers about another are forgotten. */
  readonly about?: string;
  /** Whether the last answer stays also while nothing is asked for. */
  readonly keeps?: boolean;
  /** Milliseconds without another question before one is asked; `took` is how long the last answer took, 0 at first. */
  readonly rest?: (took: number) => number;
  /** Whether the same is asked again after a second, because its answer will change. */
  readonly poll?: (answer: T) => boolean;
}

const POLL = 1000; // ms

/**
 * What a question brings; the last answer stays until the next is there. `key` names the question, null asks for
 * nothing.
 */
export function useAnswer<T>(
  key: string | null,
  ask: (signal: AbortSignal) => Promise<T>,
  { queue, urgency, visible = true, about, keeps = false, rest, poll }: AskOptions<T> = {},
): Asked<T> {
  const latest = useMemo(() => new Latest<T>(queue ?? new RequestQueue(1), urgency), [queue, about]);
  const took = useRef(0);
  const wanted = visible ? key : null;
  useEffect(() => {
    if (wanted === null) return undefined;
    const timed = async (signal: AbortSignal): Promise<T> => {
      const begun = performance.now();
      try {
        return await ask(signal);
      } finally {
        took.current = performance.now() - begun;
      }
    };
    const wait = rest?.(took.current) ?? 0;
    if (wait <= 0) return latest.want(wanted, timed);
    const timer = setTimeout(() => latest.want(wanted, timed), wait);
    return () => clearTimeout(timer);
  }, [latest, wanted]);
  useEffect(() => () => latest.rest(), [latest]);
  const { value: answer } = latest.answer;
  const isFresh = key !== null && answer?.key === key;
  const failure = latest.error.value?.key === key ? latest.error.value : null;
  const polls = visible && isFresh && poll?.(answer.value) === true;
  useEffect(() => {
    if (!polls) return undefined;
    const timer = setTimeout(() => latest.retry(), POLL);
    return () => clearTimeout(timer);
  }, [latest, polls, answer]);
  return {
    value: answer && (keeps || key !== null) ? answer.value : null,
    isFresh,
    error: failure?.reason ?? null,
    waits: failure?.isAway ?? false,
    busy: key !== null && !failure && !isFresh,
    retry: () => latest.retry(),
  };
}
