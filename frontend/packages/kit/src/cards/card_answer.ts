import { useAnswer, type Asked } from '../base/ask';
import { cardId, type CardKey } from '../base/card_key';
import type { Page } from '../base/page';
import type { RequestQueue } from '../base/requests';
import { urgencyOf, type Place } from './card';

export type CardAnswer<T> = Asked<T>;

/**
 * What a card asks for, while its tab is in front; cards near the middle of the screen go first. `key` names the
 * question, null asks for nothing.
 */
export function useCardAnswer<T>(
  { page, queue }: { readonly page: Page; readonly queue: RequestQueue },
  card: CardKey,
  place: Place,
  key: string | null,
  request: (signal: AbortSignal) => Promise<T>,
): CardAnswer<T> {
  return useAnswer(key, request, {
    queue,
    urgency: () => urgencyOf(place),
    visible: page.visible.value,
    about: cardId(card),
    keeps: true,
  });
}
