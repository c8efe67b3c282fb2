import { Component, type ComponentChildren } from 'preact';
import type { CardKey } from '../base/card_key';
import { FailureCell } from './error_cell';
import type { Page } from '../base/page';
import { message } from '../base/texts';

interface CardGuardProps {
  readonly page: Page;
  readonly card: CardKey;
  readonly children: ComponentChildren;
}

/** Keeps an error in the content of a card within the card: says which one it is and what to do. */
export class CardGuard extends Component<CardGuardProps, { readonly error: unknown; readonly failed: boolean }> {
  override state = { error: null, failed: false };

  static override getDerivedStateFromError(error: unknown): { readonly error: unknown; readonly failed: boolean } {
    return { error, failed: true };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error); // with its stack, for the author of the tab
  }

  override render({ page, card, children }: CardGuardProps): ComponentChildren {
    if (!this.state.failed) return children;
    return (
      <FailureCell
        page={page}
        title="card.failed"
        where={[...(card.run === null ? [] : [page.nameOf(card.run)]), page.titleOf(card.tag)]}
        reason={message(this.state.error)}
        hint="card.failed.hint"
        test="card-failure"
        onRetry={() => this.setState({ failed: false })}
      />
    );
  }
}
