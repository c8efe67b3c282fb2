/** The list of damaged places in logs. */
import { bytesText, Dialog, message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { getJson, href } from '../data/http';
import { usePage, type Page } from '../state/page';

interface DamageRow {
  readonly run: string;
  readonly file: string;
  readonly offset: number;
  readonly reason: string;
  readonly skipped: number;
}

const MOST_SHOWN = 500;

function nameOf(page: Page, run: string): string {
  return page.runs.all.value.find(({ name }) => name === run)?.displayName ?? run;
}

export function DamageList({ run }: { run: string | null }) {
  const page = usePage();
  const t = page.t.value;
  const rows = useSignal<readonly DamageRow[] | null>(null);
  const error = useSignal<string | null>(null);
  useEffect(() => {
    const request = new AbortController();
    getJson<{ damage: readonly DamageRow[] }>('data/damage', { run }, request.signal).then(
      (answer) => {
        rows.value = answer.damage;
      },
      (cause: unknown) => {
        if (!request.signal.aborted) error.value = message(cause);
      },
    );
    return () => request.abort();
  }, [run]);
  const found = rows.value ?? [];
  return (
    <Dialog
      name="damage"
      title={run === null ? t('damage.title') : t('damage.title.run', { run: nameOf(page, run) })}
      close={t('close')}
      onClose={() => (page.dialog.value = null)}
    >
      <p class="ih-muted">{t('damage.explain')}</p>
      {error.value && (
        <p class="ih-error-message" role="alert">
          {error.value}
        </p>
      )}
      {rows.value?.length === 0 && <p>{t('damage.none')}</p>}
      {found.length > 0 && <DamageTable rows={found.slice(0, MOST_SHOWN)} withRun={run === null} />}
      {found.length > MOST_SHOWN && (
        <p class="ih-muted">
          {t('damage.more', { shown: MOST_SHOWN, total: found.length })}{' '}
          <a href={href('data/damage', { run })} target="_blank" rel="noopener">
            {t('damage.json')}
          </a>
        </p>
      )}
    </Dialog>
  );
}

function DamageTable({ rows, withRun }: { rows: readonly DamageRow[]; withRun: boolean }) {
  const page = usePage();
  const t = page.t.value;
  const locale = page.preferences.locale.value;
  return (
    <div class="ih-table-scroll">
      <table class="ih-table">
        <thead>
          <tr>
            {withRun && <th scope="col">{t('damage.run')}</th>}
            <th scope="col">{t('damage.file')}</th>
            <th scope="col" class="ih-number">
              {t('damage.offset')}
            </th>
            <th scope="col">{t('damage.reason')}</th>
            <th scope="col" class="ih-number">
              {t('damage.skipped')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.file}:${row.offset}:${row.reason}`}>
              {withRun && <td title={row.run}>{nameOf(page, row.run)}</td>}
              <td class="ih-mono">{row.file}</td>
              <td class="ih-number">{row.offset.toLocaleString(locale)}</td>
              <td>{row.reason}</td>
              <td class="ih-number">{row.skipped ? bytesText(row.skipped, locale) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
