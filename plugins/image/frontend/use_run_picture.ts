import { type CardKey, type Place } from '@insight-host/kit';
import { indexOf, nearestIndex, useSteps, type CardSteps } from '@insight-host/kit/steps';
import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { LARGE, pictureOf, type ImageParts } from './board';
import { useNeighbours, usePicture, type ShownPicture } from './use_picture';

/** What one run shows in a comparison. */
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
