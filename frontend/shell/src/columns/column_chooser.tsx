/** Chooses which columns of the run table stand beside the names of runs. */
import { Dialog, message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePage } from '../state/page';
import { matching } from '../views/palette';
import { keyOf } from './cells';
import { words } from './words';
import type { ColumnAnswer } from './run_columns';
import { loadColumns } from './start';

const MOST_SHOWN = 300;

export function ColumnChooser() {
  const page = usePage();
  const t = page.t.value;
  const columns = page.columns.value?.columns;
  const found = useSignal<ColumnAnswer | null>(null);
  const error = useSignal('');
  const query = useSignal('');
  useEffect(() => {
    if (!columns) return loadColumns(page);
    const request = new AbortController();
    columns.all(request.signal).then(
      (answer) => (found.value = answer),
      (cause: unknown) => {
        if (!request.signal.aborted) error.value = message(cause);
      },
    );
    return () => request.abort();
  }, [columns]);
  const titleOf = (plugin: string): string => {
    const tab = page.session.plugins.value?.find(({ name }) => name === plugin);
    return tab ? page.tabTitle(tab) : plugin;
  };
  const all = (found.value?.columns ?? []).map((column) => ({
    key: keyOf(column),
    label: page.contributions.value?.lookOf(column)?.title ?? column.title,
    group: [titleOf(column.plugin), column.group].filter(Boolean).join(' · '),
  }));
  const shown = matching(all, query.value, MOST_SHOWN);
  return (
    <Dialog
      name="columns"
      title={words(page, 'columns.title')}
      close={t('close')}
      onClose={() => (page.dialog.value = null)}
    >
      <input
        class="ih-input"
        type="text"
        spellcheck={false}
        autocomplete="off"
        placeholder={words(page, 'columns.filter')}
        aria-label={words(page, 'columns.filter')}
        value={query.value}
        onInput={(event) => (query.value = event.currentTarget.value)}
      />
      {[error.value, ...(found.value?.errors ?? []).map((one) => `${titleOf(one.plugin)}: ${one.error}`)]
        .filter(Boolean)
        .map((text) => (
          <p key={text} class="ih-error-message" role="alert">
            {text}
          </p>
        ))}
      {found.value && shown.length === 0 && <p class="ih-muted">{words(page, 'columns.none')}</p>}
      <div class="ih-column-list">
        {shown.map(({ key, label, group }) => (
          <label key={key}>
            <input
              type="checkbox"
              class="ih-checkbox"
              checked={columns?.keys.value.includes(key)}
              data-column={key}
              onChange={(event) => columns?.choose(key, event.currentTarget.checked)}
            />
            <span>{label}</span>
            <span class="ih-muted">{group}</span>
          </label>
        ))}
      </div>
      {all.length > MOST_SHOWN && !query.value && (
        <p class="ih-muted">{words(page, 'columns.more', { shown: MOST_SHOWN, total: all.length })}</p>
      )}
    </Dialog>
  );
}
