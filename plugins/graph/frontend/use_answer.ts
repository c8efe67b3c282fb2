import { useSignal } from '@preact/signals';
import { message } from '@insight-host/kit';
import { useEffect } from 'preact/hooks';

export interface Asked<T> {
  /** Of what the answer is; null before the first. */
  readonly key: string | null;
  readonly value: T | null;
  readonly error: string | null;
}

const NOTHING: Asked<never> = { key: null, value: null, error: null };

/**
 * What a promise brings; the last answer stays until the next is there. `key` names what is asked for; null asks for
 * nothing.
 */
export function useAnswer<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>): Asked<T> {
  const found = useSignal<Asked<T>>(NOTHING);
  useEffect(() => {
    if (key === null) return;
    const stop = new AbortController();
    const answer = (more: Partial<Asked<T>>): void => {
      if (!stop.signal.aborted) found.value = { ...NOTHING, key, ...more };
    };
    ask(stop.signal).then(
      (value) => answer({ value }),
      (error: unknown) => answer({ error: message(error) }),
    );
    return () => stop.abort();
  }, [key]);
  return key === null ? NOTHING : found.value;
}
