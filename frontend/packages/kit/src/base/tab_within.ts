import { useEffect } from 'preact/hooks';

const PLACES =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), ' +
  'textarea:not(:disabled), [tabindex="0"]';

/** A focus trap: while `active`, the Tab key stays within an element that covers the page. */
export function useTabWithin(place: { readonly current: HTMLElement | null }, active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const stay = (event: KeyboardEvent): void => {
      const element = place.current;
      if (event.key !== 'Tab' || event.defaultPrevented || !element || document.querySelector('dialog[open]')) return;
      const places = [...element.querySelectorAll<HTMLElement>(PLACES)].filter(
        (each) => each.getClientRects().length > 0,
      );
      const [first, last] = [places[0], places.at(-1)];
      const at = document.activeElement;
      const isInside = at !== element && element.contains(at);
      if (!first || !last || (isInside && at !== (event.shiftKey ? first : last))) return;
      event.preventDefault();
      (event.shiftKey ? last : first).focus();
    };
    document.addEventListener('keydown', stay);
    return () => document.removeEventListener('keydown', stay);
  }, [active]);
}
