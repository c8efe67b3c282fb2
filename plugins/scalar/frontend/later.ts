import { useSignal } from '@preact/signals';
import { message } from '@insight-host/kit';
import { useEffect } from 'preact/hooks';
import type { ScalarParts } from './board';

/** A part of the tab whose code is loaded when it is first shown; null until it is here. */
export function useLater<Module extends object>(board: ScalarParts, load: () => Promise<Module>): Module | null {
  const loaded = useSignal<Module | null>(null);
  useEffect(() => {
    load().then(
      (made) => (loaded.value = made),
      (error: unknown) => board.page.ctx.notify('error', message(error)),
    );
  }, []);
  return loaded.value;
}
