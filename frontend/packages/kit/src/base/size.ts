import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The inner size of an element in CSS pixels, without its scroll bars. */
export function useSize(place: { readonly current: HTMLElement | null }): ReadonlySignal<Size> {
  const size = useSignal<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const look = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width !== size.peek().width || height !== size.peek().height) size.value = { width, height };
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
}
