import type { JSX } from 'preact';
import type { Page } from '@insight-host/kit';
import { nonfinite, type Histograms } from './answer';
import { Icon } from '@insight-host/kit';

export interface HistogramStatusProps {
  readonly page: Page;
  readonly found: Histograms | null;
  /** Why the latest question has no answer. */
  readonly failure: string | null;
  readonly onRetry: () => void;
  /** What is shown, when it is not steps of one series. */
  readonly text?: string;
}

/** The line below histograms: shown and total steps, non-finite values, unreadable records. */
export function HistogramStatus({ page, found, failure, onRetry, text }: HistogramStatusProps): JSX.Element {
  const { t: say } = page;
  if (failure) {
    return (
      <footer class="error">
        <Icon name="warn" />
        <span role="alert" title={failure}>
          {failure}
        </span>
        <button type="button" data-action="retry" onClick={onRetry}>
          {say('retry')}
        </button>
      </footer>
    );
  }
  if (!found) return <footer>{'\u00a0'}</footer>;
  const number = (n: number): string => n.toLocaleString(page.locale.value);
  const parts = text === undefined ? shownOf(page, found) : [text];
  const [nan, inf, negInf] = nonfinite(found);
  const odd = [nan && `${number(nan)} NaN`, inf && `${number(inf)} +Inf`, negInf && `${number(negInf)} −Inf`].filter(
    Boolean,
  );
  const beyond = found.beyond.reduce((total, count) => total + count, 0);
  const reasons = found.errors.map(page.reason);
  return (
    <footer data-testid="card-status">
      <span class="counts">{parts.join(' · ')}</span>
      {reasons.length > 0 && (
        <span class="problem" data-testid="histogram-errors" title={reasons.slice(0, 10).join('\n')}>
          {say('histogram.errors', { count: reasons.length })}
        </span>
      )}
      {beyond >= 0.5 && (
        <span class="beyond bad" title={say('histogram.beyond.hint')}>
          {say('histogram.beyond.count', { count: Math.round(beyond) })}
        </span>
      )}
      {odd.length > 0 && (
        <span class="nonfinite bad" title={say('histogram.nonfinite')}>
          {odd.join(say('list.separator'))}
        </span>
      )}
    </footer>
  );
}

function shownOf(page: Page, found: Histograms): string[] {
  const { t: say } = page;
  const number = (n: number): string => n.toLocaleString(page.locale.value);
  const parts = [
    found.shown < found.available
      ? say('histogram.shown', { shown: number(found.shown), available: number(found.available) })
      : say('histogram.shown.all', { count: found.available }),
  ];
  if (found.kept < found.points) parts.push(say('steps.kept', { kept: number(found.kept), count: found.points }));
  const { purged = 0 } = found;
  if (found.hidden > purged) parts.push(say('steps.hidden', { hidden: number(found.hidden - purged) }));
  if (purged > 0) parts.push(say('steps.purged', { purged: number(purged) }));
  return parts;
}
