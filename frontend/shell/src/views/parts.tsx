/** Parts that several views are made of: square buttons, boxes that select runs, the card of an error, late styles. */
import { Icon, type IconName } from '@insight-host/kit';
import type { Run } from '@insight-host/api';
import type { ButtonHTMLAttributes, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from '../state/page';
import { triState, withRows } from '../state/selection';

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName | JSX.Element;
  /** The name of the button and, without a `title`, its tooltip. */
  readonly label: string;
  readonly small?: boolean;
}

/** A square button without text. */
export function IconButton({ icon, label, small, ...attributes }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`ih-button ih-quiet ih-square${small ? ' ih-small' : ''}`}
      aria-label={label}
      title={label}
      {...attributes}
    >
      {typeof icon === 'string' ? <Icon name={icon} /> : icon}
    </button>
  );
}

interface SelectRunsProps {
  readonly rows: readonly Run[];
  readonly label: string;
}

/** A box that selects several runs, or none of them. */
export function SelectRuns({ rows, label }: SelectRunsProps) {
  const { runs } = usePage();
  const selected = runs.selectedSet.value;
  const state = triState(selected, rows);
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = state === 'some';
  });
  return (
    <label class="ih-hit">
      <input
        ref={box}
        type="checkbox"
        class="ih-checkbox"
        checked={state === 'all'}
        disabled={rows.length === 0}
        aria-label={label}
        title={label}
        onChange={() => runs.select(withRows(selected, rows, state !== 'all'))}
      />
    </label>
  );
}

interface Failure {
  readonly message: string;
  readonly details?: string;
}

export function failureOf(cause: unknown): Failure {
  if (!(cause instanceof Error)) return { message: String(cause) };
  return { message: cause.message || cause.name, ...(cause.stack ? { details: cause.stack } : {}) };
}

interface ErrorCardProps {
  readonly title: string;
  readonly failure: Failure;
  readonly intro?: string;
  readonly onRetry?: () => void;
  readonly onDismiss?: () => void;
}

/** The error card of a plugin: name, reason, details, and a retry button. */
export function ErrorCard({ title, failure, intro, onRetry, onDismiss }: ErrorCardProps) {
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

const added = new Set<string>();

/** Styles of code that the first paint does not need: they come with it. */
export function addStyles(text: string): void {
  if (added.has(text)) return;
  added.add(text);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
