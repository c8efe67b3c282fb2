import { useCardAnswer, type CardKey, type Place } from '@insight-host/kit';
import { indexOf, nearestIndex, useSteps, type CardSteps } from '@insight-host/kit/steps';
import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { LARGE, pictureOf, type ImageParts } from './board';
import type { Frame, PictureQuery } from './frames';

interface ShownPicture {
  /** The one asked for, or until that is there the one before. */
  readonly frame: Frame | null;
  /** The error if the requested image could not be loaded. */
  readonly error: string | null;
  /** Another picture was asked for than is shown. */
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

/** The picture of one run in a comparison. */
export interface RunPicture extends ShownPicture {
  readonly card: CardKey;
  /** At the record that is shown. */
  readonly steps: CardSteps;
}

/** Counts a picture while it is not yet what is asked for. */
export function useWaiting(waiting: Signal<number>, busy: boolean): void {
  useEffect(() => {
    if (!busy) return;
    waiting.value++;
    return () => void waiting.value--;
  }, [busy]);
}

/** The picture of a run at a step, or at the step nearest to it. `at`: index of the record where that is known. */
export function useRunPicture(
  board: ImageParts,
  card: CardKey,
  place: Place,
  step: number | null,
  sample: number,
  at: number | null = null,
): RunPicture {
  const steps = useSteps(board, card);
  const { records } = steps;
  const index = !records
    ? -1
    : (at ?? (step === null ? indexOf(records.steps, 'last') : nearestIndex(records.steps, step)));
  const there = records !== null && index >= 0;
  const shown = usePicture(board, card, place, there ? pictureOf(card, records, index, sample, true) : null);
  const neighbours = [index + 1, index - 1].filter(
    (i) => records && i >= 0 && i < records.steps.length && (records.sizes[i] ?? 0) <= LARGE,
  );
  useNeighbours(
    board,
    there && !shown.busy,
    () => neighbours.flatMap((i) => (records ? [pictureOf(card, records, i, sample, true)] : [])),
    `${card.run} ${index} ${sample}`,
  );
  return { ...shown, card, steps: { ...steps, index } };
}
