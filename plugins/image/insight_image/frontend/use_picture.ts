import { cardId, Latest, urgencyOf, type CardKey, type Place } from '@insight-host/kit';
import { useEffect, useMemo } from 'preact/hooks';
import type { ImageParts } from './board';
import type { Frame, PictureQuery } from './frames';

export interface ShownPicture {
  /** The one asked for, or until that is there the one before. */
  readonly frame: Frame | null;
  /** The error if the requested image could not be loaded. */
  readonly error: string | null;
  /** What is shown is not yet what is asked for. */
  readonly busy: boolean;
  retry(): void;
}

/** The picture that answers `asked`, decoded before it is shown. */
export function usePicture(board: ImageParts, card: CardKey, place: Place, asked: PictureQuery | null): ShownPicture {
  const latest = useMemo(() => new Latest<Frame>(board.queue, () => urgencyOf(place)), [board, cardId(card)]);
  const url = asked && board.frames.urlOf(asked);
  const visible = board.page.visible.value;
  useEffect(() => {
    if (asked && url && visible)
      latest.want(url, (signal) => board.frames.load(asked, signal, board.page.t('picture.broken')));
  }, [latest, url, visible]);
  useEffect(() => () => latest.rest(), [latest]);
  const known = url ? board.frames.find(url) : undefined;
  const failure = latest.error.value;
  const error = failure && failure.key === url ? failure.reason : null;
  return {
    frame: known ?? latest.answer.value?.value ?? null,
    error,
    busy: url !== null && !error && !known && latest.answer.value?.key !== url,
    retry() {
      if (asked) board.frames.forget(asked);
      latest.retry();
    },
  };
}

const CALM = 40; // ms without a move before neighbours are fetched

/** Fetches what is likely to be wanted next, once what is wanted now is there. */
export function useNeighbours(
  board: ImageParts,
  ready: boolean,
  asked: () => readonly PictureQuery[],
  key: string,
): void {
  useEffect(() => {
    if (!ready) return;
    const timer = setTimeout(() => {
      for (const one of asked())
        void board.queue
          .run(
            () => Number.MAX_VALUE,
            board.page.ctx.signal,
            () => board.frames.expect(one, board.page.t('picture.broken')),
          )
          .catch(() => undefined);
    }, CALM);
    return () => clearTimeout(timer);
  }, [board, ready, key]);
}
