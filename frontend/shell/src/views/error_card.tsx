/** The error card of a plugin: name, reason, details, and a retry button. */
import { Icon } from '@insight-host/kit';
import { usePage } from '../state/page';

export interface Failure {
  readonly message: string;
  readonly details?: string;
}

export function failureOf(cause: unknown): Failure {
  if (!(cause instanceof Error)) return { message: String(cause) };
  return { message: cause.message || cause.name, ...(cause.stack ? { details: cause.stack } : {}) };
}

interface Props {
  readonly title: string;
  readonly failure: Failure;
  readonly intro?: string;
  readonly onRetry?: () => void;
  readonly onDismiss?: () => void;
}

export function ErrorCard({ title, failure, intro, onRetry, onDismiss }: Props) {
  const t = usePage().t.value;
  return (
    <section class="ih-card ih-error-card" role="alert">
      <h2>
        <Icon name="warn" /> {title}
      </h2>
      {intro && <p class="ih-muted">{intro}</p>}
      <p class="ih-error-message">{failure.message}</p>
      <p class="ih-muted">{t('plugin.failed.hint')}</p>
      {failure.details && (
        <details>
          <summary>{t('details')}</summary>
          <pre>{failure.details}</pre>
        </details>
      )}
      <div class="ih-row">
        {onRetry && (
          <button type="button" class="ih-button ih-primary" onClick={onRetry}>
            {t('retry')}
          </button>
        )}
        {onDismiss && (
          <button type="button" class="ih-button" onClick={onDismiss}>
            {t('close')}
          </button>
        )}
      </div>
    </section>
  );
}
