import { useEffect, useMemo } from 'preact/hooks';
import { urgencyOf, type Place } from './card';
import { cardId, type CardKey } from './cards';
import { Latest } from './latest';
import type { StepParts } from '@insight-host/kit/steps';

export interface CardAnswer<T> {
  /** The answer to the question, or until it is there the one before. */
  readonly value: T | null;
  /** Whether `value` answers the question. */
  readonly isFresh: boolean;
  /** The error if the question could not be answered. */
  readonly error: string | null;
  /** The answer is under way. */
  readonly busy: boolean;
  retry(): void;
}

/**
 * What a card asks for, while its tab is in front; cards near the middle of the screen go first. `key` names the
 * question, null asks for nothing.
 */
export function useCardAnswer<T>(
  board: Pick<StepParts, 'page' | 'queue'>,
  card: CardKey,
  place: Place,
  key: string | null,
  request: (signal: AbortSignal) => Promise<T>,
): CardAnswer<T> {
  const latest = useMemo(() => new Latest<T>(board.queue, () => urgencyOf(place)), [board, cardId(card)]);
  const visible = board.page.visible.value;
  useEffect(() => {
    if (key !== null && visible) latest.want(key, request);
  }, [latest, key, visible]);
  useEffect(() => () => latest.rest(), [latest]);
  const { value: failure } = latest.error;
  const { value: answer } = latest.answer;
  const isFresh = key !== null && answer?.key === key;
  const error = failure && failure.key === key ? failure.reason : null;
  return {
    value: answer?.value ?? null,
    isFresh,
    error,
    busy: key !== null && !error && !isFresh,
    retry: () => latest.retry(),
  };
}
