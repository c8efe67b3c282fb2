import type { JSX } from 'preact';
import type { Board, TagInfo } from './board';
import type { CardKey } from './cards';
import { Icon } from './icons';
import type { CardSteps } from './step_slider';

export interface ErrorCellProps<Info extends TagInfo> {
  readonly board: Board<Info>;
  readonly card: CardKey;
  /** The step of the record, when one is meant. */
  readonly step?: number;
  /** The text of the error: what the server said. */
  readonly reason: string;
  readonly onRetry?: () => void;
}

/** Replaces an image that cannot be shown: names the record and the reason. */
export function ErrorCell<Info extends TagInfo>({
  board,
  card,
  step,
  reason,
  onRetry,
}: ErrorCellProps<Info>): JSX.Element {
  const say = board.t;
  // The server's text about a record names it already.
  const place =
    reason.includes(card.tag) && card.tag
      ? []
      : [
          card.run && board.nameOf(card.run),
          board.titleOf(card.tag),
          step === undefined ? null : say('time.step', { step }),
        ].filter((part) => part !== null);
  return (
    <div class="error-cell" role="alert" data-testid="error-cell">
      <Icon name="warn" />
      <strong>{say(step === undefined ? 'error.title' : 'error.record')}</strong>
      {place.length > 0 && <span class="where">{place.join(' · ')}</span>}
      <span class="reason">{reason}</span>
      {onRetry && (
        <button type="button" data-action="retry" onClick={onRetry}>
          {say('retry')}
        </button>
      )}
    </div>
  );
}

/** Why a card shows no record of its series: an error cell, or null while it does or will. */
export function problemOf<Info extends TagInfo>(
  board: Board<Info>,
  card: CardKey,
  { records, index, error, retry }: CardSteps,
  shown: { readonly error: string | null; retry(): void },
): JSX.Element | null {
  if (error && !records) return <ErrorCell board={board} card={card} reason={error} onRetry={retry} />;
  if (!shown.error || !records || index < 0) return null;
  const step = records.steps[index] ?? NaN;
  return <ErrorCell board={board} card={card} step={step} reason={shown.error} onRetry={() => shown.retry()} />;
}
