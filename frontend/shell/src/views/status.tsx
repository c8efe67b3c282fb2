/** The line below the page: what it holds, and whether it follows the host. */
import { bytesText, Icon } from '@insight-host/kit';
import { usePage } from '../state/page';

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
