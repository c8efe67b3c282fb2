/** What the page says about the host and itself over the views: banners and toasts. */
import { Icon } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { lateTexts, reasonText } from '../i18n/texts';
import { messages as en } from '../locales/en.json';
import { messages as zh } from '../locales/zh-CN.json';
import { usePage } from '../state/page';
import styles from './messages.css?inline';
import { addStyles, IconButton } from './parts';

const words = lateTexts({ en, 'zh-CN': zh });

addStyles(styles);

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
            {words(page, offline ? 'offline.text' : 'away.text')}{' '}
            {away !== null && <span class="ih-muted">{words(page, 'away.reason', { reason: away })}</span>}
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
