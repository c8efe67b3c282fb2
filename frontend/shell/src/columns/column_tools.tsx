/** Tools of the run table: which columns stand beside the names of runs, and selected runs first. */
import { message } from '@insight-host/kit';
import { ColumnChooser as KitChooser, sectionOf } from '@insight-host/kit/runs';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePage } from '../state/page';
import { IconButton } from '../views/parts';
import { type ColumnAnswer, keyOf } from './cells';
import { type RunColumns, words } from './run_columns';

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

/** The buttons of the run table. */
export function RunTableTools() {
  const page = usePage();
  const { sort } = page.runs;
  const isFirst = sort.value.includes('selected');
  return (
    <>
      <IconButton
        icon="columns"
        small
        label={words(page, 'columns.title')}
        data-action="columns"
        onClick={() => (page.dialog.value = { kind: 'columns' })}
      />
      <button
        type="button"
        class="ih-button ih-quiet ih-small"
        aria-pressed={isFirst}
        title={words(page, 'runs.selected.first')}
        data-action="selected-first"
        onClick={() => sort.set(isFirst ? sort.value.filter((key) => key !== 'selected') : ['selected', ...sort.value])}
      >
        {words(page, 'runs.selected.first')}
      </button>
    </>
  );
}
