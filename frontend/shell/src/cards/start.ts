/** Loads what shows a card elsewhere, with the first such card. */
import type { Page } from '../state/page';

export function cardsWhenAsked(page: Page): void {
  page.showCard = (spec, place) => {
    import('./shown').then(
      ({ showCard }) => showCard(page, spec, place, page.apart(spec.state)),
      (cause: unknown) => place.until.aborted || place.failed(cause),
    );
  };
}
