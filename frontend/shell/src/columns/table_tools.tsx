/** Buttons of the run table: columns, and selected runs first. */
import { usePage } from '../state/page';
import { words } from './words';
import { IconButton } from '../views/icon_button';

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
