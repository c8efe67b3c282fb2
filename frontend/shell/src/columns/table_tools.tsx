/** Buttons of the run table: columns, groups, and selected runs first. */
import { usePage } from '../state/page';
import type { RunColumns } from './run_columns';
import { words } from './words';
import { IconButton } from '../views/icon_button';

export function RunTableTools({ columns }: { readonly columns: RunColumns }) {
  const page = usePage();
  const { sort } = page.runs;
  const isFirst = sort.value.includes('selected');
  const [group = ''] = columns.group.value;
  const shown = columns.shown.value.map((column) => ({ key: column.key, title: column.title }));
  const known = shown.some(({ key }) => key === group) || group === '' || group === 'path';
  return (
    <>
      <IconButton
        icon="columns"
        small
        label={words(page, 'columns.title')}
        data-action="columns"
        onClick={() => (page.dialog.value = { kind: 'columns' })}
      />
      <select
        class="ih-select"
        aria-label={words(page, 'group.by')}
        title={words(page, 'group.by')}
        data-control="group-runs"
        value={columns.group.value.join(';')}
        onChange={({ currentTarget: { value } }) => {
          columns.group.set(value ? value.split(';') : []);
          columns.folded.set([]);
        }}
      >
        <option value="">{words(page, 'group.none')}</option>
        <option value="path">{words(page, 'group.path')}</option>
        {shown.map(({ key, title }) => (
          <option key={key} value={key}>
            {title}
          </option>
        ))}
        {(!known || columns.group.value.length > 1) && (
          <option value={columns.group.value.join(';')}>
            {columns.group.value.map((key) => columns.columnOf(key)?.title ?? key).join(', ')}
          </option>
        )}
        {group &&
          group !== 'path' &&
          shown
            .filter(({ key }) => !columns.group.value.includes(key))
            .map(({ key, title }) => (
              <option key={`and ${key}`} value={[...columns.group.value, key].join(';')}>
                {words(page, 'group.and', {
                  groups: columns.group.value.map((one) => columns.columnOf(one)?.title ?? one).join(', '),
                  column: title,
                })}
              </option>
            ))}
      </select>
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
