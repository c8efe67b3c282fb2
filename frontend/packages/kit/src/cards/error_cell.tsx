import { type JSX, Component, type ComponentChildren } from 'preact';
import type { CardKey } from '../base/card_key';
import { exactAt, said } from '../base/numbers';
import { Icon } from '../base/icons';
import type { Page } from '../base/page';
import type { CardSteps } from '@insight-host/kit/steps';
import { message } from '../base/texts';

export interface ErrorCellProps {
  readonly page: Page;
  readonly card: CardKey;
  /** The step of the record, when one is meant. */
  readonly step?: number | bigint;
  /** The text of the error: what the server said. */
  readonly reason: string;
  readonly onRetry?: () => void;
}

/** Replaces an image that cannot be shown: names the record and the reason. */
export function ErrorCell({ page, card, step, reason, onRetry }: ErrorCellProps): JSX.Element {
  const { t: say } = page;
  // The server's text about a record names it already.
  const place =
    reason.includes(card.tag) && card.tag
      ? []
      : [
          card.run && page.nameOf(card.run),
          page.titleOf(card.tag),
          step === undefined ? null : say('time.step', { step: said(step, page.locale.value) }),
        ].filter((part) => part !== null);
  return (
    <FailureCell
      page={page}
      title={step === undefined ? 'error.title' : 'error.record'}
      where={place}
      reason={reason}
      test="error-cell"
      onRetry={onRetry}
    />
  );
}

interface FailureCellProps {
  readonly page: Page;
  /** A key of the catalogue. */
  readonly title: string;
  readonly where: readonly string[];
  readonly reason: string;
  /** What to do: a key of the catalogue. */
  readonly hint?: string;
  readonly test?: string;
  readonly onRetry: (() => void) | undefined;
}

/** In the place of what failed: what and where it is, why it failed, and what to do. */
export function FailureCell({ page, title, where, reason, hint, test, onRetry }: FailureCellProps): JSX.Element {
  const { t: say } = page;
  return (
    <div class="error-cell" role="alert" data-testid={test}>
      <Icon name="warn" />
      <strong>{say(title)}</strong>
      {where.length > 0 && <span class="where">{where.join(' · ')}</span>}
      <span class="reason">{reason}</span>
      {hint && <span>{say(hint)}</span>}
      {onRetry && (
        <button type="button" data-action="retry" onClick={onRetry}>
          {say('retry')}
        </button>
      )}
    </div>
  );
}

/** Why a card shows no record of its series: an error cell, or null while it does or will. */
export function problemOf(
  page: Page,
  card: CardKey,
  { records, index, error, retry }: CardSteps,
  shown: { readonly error: string | null; retry(): void },
): JSX.Element | null {
  if (error && !records) return <ErrorCell page={page} card={card} reason={error} onRetry={retry} />;
  if (!shown.error || !records || index < 0) return null;
  const step = exactAt(records.steps, index);
  return <ErrorCell page={page} card={card} step={step} reason={shown.error} onRetry={() => shown.retry()} />;
}

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
