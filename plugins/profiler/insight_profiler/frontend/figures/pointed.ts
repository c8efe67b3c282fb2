import { useSignal, type Signal } from '@preact/signals';

export interface Pointed {
  /** The part under the pointer or chosen by keys. */
  readonly at: Signal<number | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onBlur: () => void;
}

/**
 * One of `count` parts of a picture by arrow keys; Enter presses it. `onMove` hears where the keys are, null when they
 * left.
 */
export function usePointed(
  count: number,
  onPress: ((at: number, event: KeyboardEvent) => void) | null,
  onMove: (at: number | null) => void = () => undefined,
): Pointed {
  const at = useSignal<number | null>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const now = at.value ?? -1;
    const to = {
      ArrowDown: now + 1,
      ArrowRight: now + 1,
      ArrowUp: now - 1,
      ArrowLeft: now - 1,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to !== undefined) {
      at.value = Math.max(0, Math.min(count - 1, to));
      onMove(at.value);
    } else if (event.key === 'Escape' && at.value !== null) {
      at.value = null;
      onMove(null);
    } else if ((event.key === 'Enter' || event.key === ' ') && at.value !== null && onPress) onPress(at.value, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onBlur = (): void => {
    at.value = null;
    onMove(null);
  };
  return { at, onKeyDown, onBlur };
}
