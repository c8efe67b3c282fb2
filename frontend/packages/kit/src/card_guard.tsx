import { Component, type ComponentChildren, type JSX } from 'preact';
import type { CardKey } from './cards';
import { Icon } from './icons';
import type { Page } from './page';
import { message } from './texts';

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
      <Failure page={page} card={card} error={this.state.error} onRetry={() => this.setState({ failed: false })} />
    );
  }
}

function Failure({
  page,
  card,
  error,
  onRetry,
}: Omit<CardGuardProps, 'children'> & { readonly error: unknown; readonly onRetry: () => void }): JSX.Element {
  const where = [...(card.run === null ? [] : [page.nameOf(card.run)]), page.titleOf(card.tag)];
  return (
    <div class="error-cell" role="alert" data-testid="card-failure">
      <Icon name="warn" />
      <strong>{page.t('card.failed')}</strong>
      <span class="where">{where.join(' · ')}</span>
      <span class="reason">{message(error)}</span>
      <span>{page.t('card.failed.hint')}</span>
      <button type="button" data-action="retry" onClick={onRetry}>
        {page.t('retry')}
      </button>
    </div>
  );
}
