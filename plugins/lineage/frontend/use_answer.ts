import { useSignal } from '@preact/signals';
import { message } from '@insight-host/kit';
import { useEffect, useRef } from 'preact/hooks';

export interface Asked<T> {
  readonly value: T | null;
  readonly error: string | null;
  /** Whether it is of an earlier question, until the next answer is there. */
  readonly outdated: boolean;
}

const NOTHING = { value: null, error: null, outdated: false };
const [SHORTEST, LONGEST] = [300, 10_000]; // ms before a costly question is asked
const REST = 2; // the host rests so many times as long as an answer takes

/**
 * What a question brings; the last answer stays until the next is there. `key` names what is asked for; null asks for
 * nothing. A `costly` question waits until the key stays the same for a while.
 */
export function useAnswer<T>(key: string | null, ask: () => Promise<T>, costly = false): Asked<T> {
  const found = useSignal<Asked<T> & { readonly key: string | null }>({ ...NOTHING, key: null });
  const took = useRef(0);
  useEffect(() => {
    if (key === null) return;
    let ended = false;
    const begin = (): void => {
      const asked = performance.now();
      ask()
        .then((value) => !ended && (found.value = { ...NOTHING, value, key }))
        .catch((error: unknown) => !ended && (found.value = { ...NOTHING, error: message(error), key }))
        .finally(() => (took.current = performance.now() - asked));
    };
    const isFirst = found.peek().value === null;
    const wait = costly && !isFirst ? Math.max(SHORTEST, Math.min(LONGEST, REST * took.current)) : 0;
    const timer = wait > 0 ? setTimeout(begin, wait) : void begin();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [key]);
  return key === null ? NOTHING : { ...found.value, outdated: found.value.key !== key };
}
