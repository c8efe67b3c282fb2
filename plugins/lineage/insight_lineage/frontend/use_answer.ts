import { useSignal } from '@preact/signals';
import { message } from '@insight-host/kit';
import { useEffect } from 'preact/hooks';

export interface Asked<T> {
  readonly value: T | null;
  readonly error: string | null;
}

/**
 * What a question brings; the last answer stays until the next is there. `key` names what is asked for; null asks for
 * nothing.
 */
export function useAnswer<T>(key: string | null, ask: () => Promise<T>): Asked<T> {
  const found = useSignal<Asked<T>>({ value: null, error: null });
  useEffect(() => {
    if (key === null) return;
    let ended = false;
    ask()
      .then((value) => !ended && (found.value = { value, error: null }))
      .catch((error: unknown) => !ended && (found.value = { value: null, error: message(error) }));
    return () => void (ended = true);
  }, [key]);
  return key === null ? { value: null, error: null } : found.value;
}
