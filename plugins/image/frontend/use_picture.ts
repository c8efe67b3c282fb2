import { useCardAnswer, type CardKey, type Place } from '@insight-host/kit';
import { useEffect } from 'preact/hooks';
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
  const url = asked && board.frames.urlOf(asked);
  const answer = useCardAnswer<Frame>(board, card, place, url, (signal) =>
    board.frames.load(asked as PictureQuery, signal, board.page.t('picture.broken')),
  );
  const known = url ? board.frames.find(url) : undefined;
  return {
    frame: known ?? answer.value,
    error: answer.error,
    busy: answer.busy && !known,
    retry() {
      if (asked) board.frames.forget(asked);
      answer.retry();
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
