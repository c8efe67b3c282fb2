/** What the page says about the host and itself: banners above the views, toasts, and the line below. */
import { bytesText, Icon } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { reasonText } from '../i18n/texts';
import { usePage } from '../state/page';
import { IconButton } from './parts';

/** Server unreachable, notices of the host. */
export function Banners() {
  const page = usePage();
  const t = page.t.value;
  const dismissed = useSignal<readonly string[]>([]);
  const { session } = page;
  const offline = session.live.state.value === 'disconnected';
  const away = offline ? null : session.away.value; // no news of the data without news of the host
  const { notices: all = [], messages } = session.table.value ?? {};
  const notices = all.filter((notice) => !dismissed.value.includes(notice.error));
  if (!offline && away === null && notices.length === 0) return null;
  return (
    <div class="ih-banners">
      {(offline || away !== null) && (
        <div class="ih-banner ih-banner-warn" role="status">
          <Icon name="warn" />
          <span>
            {t(offline ? 'offline.text' : 'away.text')}{' '}
            {away !== null && <span class="ih-muted">{t('away.reason', { reason: away })}</span>}
          </span>
          <button
            type="button"
            class="ih-button ih-small"
            onClick={() => void (offline ? session.live.retry() : session.refresh())}
          >
            {t('retry')}
          </button>
        </div>
      )}
      {notices.map((notice) => (
        <div key={notice.error} class="ih-banner" role="status">
          <Icon name="info" />
          <span>{reasonText(notice, page.preferences.locale.value, messages)}</span>
          <IconButton
            icon="close"
            small
            label={t('dismiss')}
            onClick={() => (dismissed.value = [...dismissed.value, notice.error])}
          />
        </div>
      ))}
    </div>
  );
}

export function ToastList() {
  const page = usePage();
  return (
    <div class="ih-toasts" aria-live="polite">
      {page.toasts.list.value.map((toast) => (
        <div
          key={toast.id}
          class={`ih-toast ih-toast-${toast.level}`}
          role={toast.level === 'error' ? 'alert' : undefined}
        >
          <Icon name={toast.level} />
          <span>{toast.text}</span>
          {toast.action && (
            <button
              class="ih-button ih-small"
              data-action="toast"
              onClick={() => {
                page.toasts.close(toast.id);
                toast.action?.run();
              }}
            >
              {toast.action.text}
            </button>
          )}
          <IconButton icon="close" small label={page.t.value('close')} onClick={() => page.toasts.close(toast.id)} />
        </div>
      ))}
    </div>
  );
}

/** Number of runs, loading progress, and connection status. */
export function Footer() {
  const page = usePage();
  const t = page.t.value;
  const { runs, session } = page;
  const isOfMany = page.aboutOne.value === null;
  const total = runs.all.value.length;
  const damage = runs.all.value.reduce((sum, run) => sum + run.damage, 0);
  return (
    <footer class="ih-footer">
      <span>{t('footer.runs', { count: total })}</span>
      {isOfMany && <span>{t('footer.selected', { count: runs.selected.value.length })}</span>}
      {isOfMany && runs.hiddenCount.value > 0 && (
        <button
          type="button"
          class="ih-footer-button"
          data-action="clear-filter"
          title={t('runs.clear')}
          onClick={() => runs.filterText.set('')}
        >
          {t('footer.hidden', { count: runs.hiddenCount.value })}
        </button>
      )}
      <LoadProgress />
      {damage > 0 && (
        <button
          type="button"
          class="ih-footer-button ih-warn"
          onClick={() => {
            page.dialog.value = { kind: 'damage', run: null };
          }}
        >
          <Icon name="warn" /> {t('damage.footer', { count: damage })}
        </button>
      )}
      <span class="ih-spring" />
      <LiveStatus />
      {session.environment.value && <span class="ih-muted">{session.environment.value.version}</span>}
    </footer>
  );
}

function LoadProgress() {
  const page = usePage();
  const t = page.t.value;
  const locale = page.preferences.locale.value;
  const progress = page.session.table.value?.progress;
  if (!progress || (progress.bytes_total === 0 && progress.loaded_once)) return null;
  const total = bytesText(progress.bytes_total, locale);
  if (progress.loaded_once) return <span>{t('footer.loaded', { total })}</span>;
  const read = bytesText(progress.bytes_read, locale);
  return (
    <span class="ih-progress-line">
      {t('footer.loading', { read, total })}
      <progress
        class="ih-progress"
        max={Math.max(1, progress.bytes_total)}
        value={progress.bytes_read}
        aria-label={t('runs.loading')}
      />
    </span>
  );
}

function LiveStatus() {
  const page = usePage();
  const t = page.t.value;
  const { live } = page.session;
  const isConnected = live.state.value === 'live' || live.state.value === 'polling';
  const isAway = live.state.value !== 'disconnected' && page.session.away.value !== null;
  const state = isAway ? 'away' : isConnected && !page.session.follows.value ? 'once' : live.state.value;
  const hint = state === 'polling' || state === 'once' ? t(`live.${state}.hint`) : undefined;
  return (
    <span class={`ih-live ih-live-${state}`} role="status" data-live={state} title={hint}>
      <span class="ih-live-dot" />
      {t(`live.${state}`)}
      {state === 'disconnected' && (
        <button type="button" class="ih-footer-button" onClick={() => live.retry()}>
          {t('retry')}
        </button>
      )}
    </span>
  );
}
