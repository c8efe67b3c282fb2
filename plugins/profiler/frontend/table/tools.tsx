/** What stands above a table: a search, its columns, its unit. */
import { useSignal } from '@preact/signals';
import { Button, Dialog, Select, Toggle, useDraft } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import type { ColumnInfo } from '../answers/table';
import { TIME_UNITS, unitSign } from '../units';
import { titleOf } from './cells';
import type { TableSettings } from './settings';

interface SearchProps {
  readonly board: ProfilerParts;
  readonly settings: TableSettings;
  /** In which columns one may search. */
  readonly fields: readonly string[];
  readonly name: string;
  /** Why the expression says nothing. */
  readonly error?: string | null;
}

/** Rows that hold a text, or that match a regular expression. */
export function Search({ board, settings, fields, name, error = null }: SearchProps): JSX.Element {
  const { t: say } = board.page;
  const draft = useDraft(settings.query, 200);
  return (
    <span class="search">
      {fields.length > 1 && (settings.query.value !== '' || settings.field.value !== fields[0]) && (
        <Select
          name={`${name}-field`}
          label={say('search.field')}
          value={settings.field.value}
          options={fields.map((value) => ({ value, text: say(`search.field.${value}`) }))}
          onPick={(value) => settings.field.set(value)}
        />
      )}
      <input
        type="search"
        class={error ? 'filter bad' : 'filter'}
        data-control={`${name}-search`}
        data-search
        placeholder={say('search')}
        aria-label={say('search')}
        aria-invalid={error !== null}
        title={error ?? say('search.hint')}
        spellcheck={false}
        value={draft.value}
        onInput={(event) => draft.set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <Toggle action={`${name}-regex`} text=".*" label={say('search.regex')} setting={settings.regex} />
    </span>
  );
}

interface ChooserProps {
  readonly board: ProfilerParts;
  readonly settings: TableSettings;
  readonly table: string;
  readonly columns: readonly ColumnInfo[];
  readonly shown: readonly string[];
}

/** Which columns a table has. */
export function ColumnChooser({ board, settings, table, columns, shown }: ChooserProps): JSX.Element {
  const { t: say } = board.page;
  const open = useSignal(false);
  return (
    <>
      <Button action="columns" icon="columns" label={say('columns.title')} onPress={() => (open.value = true)} />
      {open.value && (
        <Dialog
          name="columns"
          title={say('columns.title')}
          onClose={() => (open.value = false)}
          foot={
            <button type="button" data-action="columns-default" onClick={() => settings.columns.set([])}>
              {say('columns.default')}
            </button>
          }
        >
          <ul class="column-list">
            {columns.map(({ name }) => (
              <li key={name}>
                <label>
                  <input
                    type="checkbox"
                    data-column={name}
                    checked={shown.includes(name)}
                    disabled={shown.length === 1 && shown[0] === name}
                    onChange={({ currentTarget }) =>
                      settings.columns.set(
                        columns
                          .map((column) => column.name)
                          .filter((other) => (other === name ? currentTarget.checked : shown.includes(other))),
                      )
                    }
                  />
                  {titleOf(say, table, name)}
                </label>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}

/** One unit for all times of a table; by default one that suits them. */
export function UnitChoice({ board }: { readonly board: ProfilerParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <Select
      name="unit"
      label={say('unit')}
      value={board.units.chosen.value}
      options={(['auto', ...TIME_UNITS] as const).map((value) => ({
        value,
        text: value === 'auto' ? say('unit.auto') : unitSign(value),
      }))}
      onPick={(value) => board.units.chosen.set(value)}
    />
  );
}
