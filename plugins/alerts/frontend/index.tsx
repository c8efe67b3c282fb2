import { message, tab, timeText, type Page } from '@insight-host/kit';
import { Modes } from '@insight-host/kit/table';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { follow, markSeen, open, textOf, type Alert, type Answer } from './alerts';
import styles from './alerts.css?inline';
import en from '../insight_alerts/locales/en.json';
import zh from '../insight_alerts/locales/zh-CN.json';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles,
  board: (page) => ({ page }),
  view: ({ page }) => <AlertList page={page} />,
  keys: () => [],
});

/** All alerts, the latest first; a press leads to the card and the step. */
function AlertList({ page }: { readonly page: Page }): JSX.Element {
  const { ctx } = page;
  const answer = useSignal<Answer | null>(null);
  const failure = useSignal('');
  const isVisible = page.visible.value;
  useEffect(() => {
    if (!isVisible) return;
    const ask = (): void => {
      ctx.data.json<Answer>('found', {}, { signal: ctx.signal }).then(
        (found) => {
          answer.value = found;
          failure.value = '';
          markSeen(ctx, found.total);
        },
        (cause: unknown) => {
          if (!ctx.signal.aborted) failure.value = message(cause);
        },
      );
    };
    return follow(ctx, ask);
  }, [isVisible]);
  const { t: say } = page;
  const { value: found } = answer;
  const problem = failure.value || found?.failure;
  return (
    <div class="kit alerts" data-ready={found ? '' : undefined}>
      <div class="toolbar" role="toolbar" aria-label={say('toolbar')}>
        <Modes page={page} />
      </div>
      {problem && <p role="alert">{say('failure', { reason: problem })}</p>}
      {found && <p class="hint">{say('rules', { count: found.rules.length, rules: found.rules.join(', ') })}</p>}
      {found?.alerts.length === 0 && <p class="empty">{say('none')}</p>}
      {found && found.total > found.alerts.length && (
        <p class="hint">{say('more', { shown: found.alerts.length, total: found.total })}</p>
      )}
      <ul>
        {found?.alerts.toReversed().map((alert) => (
          <Row key={alert.id} page={page} alert={alert} />
        ))}
      </ul>
    </div>
  );
}

function Row({ page, alert }: { readonly page: Page; readonly alert: Alert }): JSX.Element {
  const { t: say, locale } = page;
  const isThere = page.runsByName.value.has(alert.run);
  return (
    <li data-alert={alert.kind} style={{ borderInlineStartColor: page.colorOf(alert.run) }}>
      <time>{timeText(alert.at, locale.value)}</time>
      <strong>{alert.rule}</strong>
      <span class="what">{textOf(page.ctx, alert)}</span>
      {isThere && (
        <button type="button" class="ih-button" data-action="open-alert" onClick={() => open(page.ctx, alert)}>
          {alert.step === null ? say('open.run') : say('open.step', { step: alert.step.toLocaleString(locale.value) })}
        </button>
      )}
      {Object.entries(alert.unsent).map(([target, reason]) => (
        <p key={target}>{say('unsent', { target, reason })}</p>
      ))}
    </li>
  );
}
