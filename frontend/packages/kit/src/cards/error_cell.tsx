import type { JSX } from 'preact';
import type { CardKey } from '../base/card_key';
import { exactAt, said } from '../base/columns';
import { Icon } from '../base/icons';
import type { Page } from '../base/page';
import type { CardSteps } from '@insight-host/kit/steps';

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
