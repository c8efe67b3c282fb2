import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ScalarParts } from './board';

const APART = 2000; // ms

/** Grows with the data, at most every two seconds. */
export function useGeneration(board: ScalarParts): number {
  const seen = useSignal(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = board.page.ctx.changes.subscribe(({ generation }) => {
      timer ??= setTimeout(() => {
        timer = undefined;
        seen.value = generation;
      }, APART);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return seen.value;
}
