/** Parts of the page that few visits need. */
import { message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePage } from '../state/page';

/** A module that is loaded when it is wanted: null until it is there. A toast says why it could not be loaded. */
export function useLater<Module>(load: () => Promise<Module>, wanted = true): Module | null {
  const page = usePage();
  const loaded = useSignal<Module | null>(null);
  useEffect(() => {
    if (!wanted || loaded.peek()) return;
    load().then(
      (found) => (loaded.value = found),
      (cause: unknown) => page.toasts.show('error', message(cause)),
    );
  }, [wanted]);
  return loaded.value;
}
