/** Chooses which columns of the run table stand beside the names of runs. */
import { message } from '@insight-host/kit';
import { ColumnChooser as KitChooser, sectionOf } from '@insight-host/kit/runs';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePage } from '../state/page';
import { keyOf, type ColumnAnswer } from './cells';
import { words } from './words';
import type { RunColumns } from './run_columns';

export function ColumnChooser({ columns }: { readonly columns: RunColumns }) {
  const page = usePage();
  const t = page.t.value;
  const found = useSignal<ColumnAnswer | null>(null);
  const error = useSignal('');
  useEffect(() => {
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
    return tab ? page.tabTitle(tab) : plugin === 'run' ? '' : plugin;
  };
  // what logs say of the end of a run is part of the host's own status
  const all = (found.value?.columns ?? []).filter(({ plugin, name }) => plugin === 'run' || name !== 'status');
  return (
    <KitChooser
      title={words(page, 'columns.title')}
      close={t('close')}
      say={(key, values) => words(page, key as Parameters<typeof words>[1], values)}
      columns={all.map((column) => ({
        name: keyOf(column),
        title: page.contributions.value?.lookOf({ ...column, values: {} })?.title ?? column.title,
        group: column.group,
        detail: sectionOf(column) === 'run' ? titleOf(column.plugin) : '',
      }))}
      shown={new Set(columns.keys.value)}
      onSet={(names, on) => columns.chooseAll(names, on)}
      onDefault={() => columns.chosen.set([])}
      onClose={() => (page.dialog.value = null)}
    >
      {[error.value, ...(found.value?.errors ?? []).map((one) => `${titleOf(one.plugin)}: ${one.error}`)]
        .filter(Boolean)
        .map((text) => (
          <p key={text} class="ih-error-message" role="alert">
            {text}
          </p>
        ))}
    </KitChooser>
  );
}
