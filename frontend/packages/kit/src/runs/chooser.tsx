import { Dialog } from '@insight-host/kit';
import { addStylesFirst } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { ColumnInfo } from './frame';
import styles from './run_table.css?inline';
import { type SayOfRuns, sectionOf, SECTIONS } from './sections';

const MOST = 200; // of a section, until the search says more

/** A column that the table may have. */
export interface ChoosableColumn extends Pick<ColumnInfo, 'name' | 'title' | 'group'> {
  /** What else tells it from others: the plugin that has it, its type, how many runs have it. */
  readonly detail: string;
  /** Lists cannot be axes. */
  readonly isAxis?: boolean;
}

export interface ColumnChooserProps {
  readonly title: string;
  /** Label of the button that closes the dialog. */
  readonly close: string;
  readonly say: SayOfRuns;
  readonly columns: readonly ChoosableColumn[];
  /** Names of the columns that the table has. */
  readonly shown: ReadonlySet<string>;
  readonly onSet: (names: readonly string[], on: boolean) => void;
  /** Of the plot. */
  readonly axes?: { readonly names: ReadonlySet<string>; readonly toggle: (name: string) => void };
  /** Gives the table the columns that it has at first. */
  readonly onDefault: () => void;
  readonly onClose: () => void;
  /** Between the search and the columns. */
  readonly children?: ComponentChildren;
}

/** Which columns the table of runs has, in sections, and which of them are axes. */
export function ColumnChooser(given: ColumnChooserProps): JSX.Element {
  const { say, columns, shown, axes, onSet } = given;
  useLayoutEffect(() => addStylesFirst(styles), []);
  const search = useSignal('');
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = columns.filter(({ name, title, detail }) => {
    const text = `${name} ${title} ${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <Dialog name="columns" title={given.title} close={given.close} onClose={given.onClose}>
      <div class="choose-columns">
        <input
          type="text"
          class="ih-input"
          data-control="column-search"
          spellcheck={false}
          autocomplete="off"
          placeholder={say('rt.columns.search')}
          aria-label={say('rt.columns.search')}
          value={search.value}
          onInput={(event) => (search.value = event.currentTarget.value)}
        />
        <button type="button" class="ih-button" data-action="columns-default" onClick={given.onDefault}>
          {say('rt.columns.default')}
        </button>
      </div>
      {given.children}
      <div class="columns-of-runs" data-testid="chooser">
        <div class={axes ? 'with-axes' : ''}>
          {axes && (
            <div class="choice heads">
              <span>{say('rt.columns.table')}</span>
              <span>{say('rt.columns.axis')}</span>
            </div>
          )}
          {SECTIONS.map((section) => {
            const own = found.filter((column) => sectionOf(column) === section);
            if (own.length === 0) return null;
            const names = own.map(({ name }) => name);
            const every = names.every((name) => shown.has(name));
            return (
              <section key={section} data-section={section}>
                <h4>
                  <label>
                    <input type="checkbox" checked={every} onClick={() => onSet(names, !every)} />{' '}
                    {say(`rt.section.${section}`)}
                  </label>
                  <span class="count">{own.length.toLocaleString()}</span>
                </h4>
                {own.slice(0, MOST).map((column) => (
                  <Choice key={column.name} column={column} given={given} />
                ))}
                {own.length > MOST && <p class="ih-muted">{say('rt.columns.more', { count: own.length - MOST })}</p>}
              </section>
            );
          })}
          {found.length === 0 && <p class="ih-muted">{say('rt.columns.none')}</p>}
        </div>
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly column: ChoosableColumn;
  readonly given: ColumnChooserProps;
}

function Choice({ column, given }: ChoiceProps): JSX.Element {
  const { say, shown, axes, onSet } = given;
  const { name, title, detail, isAxis = true } = column;
  return (
    <div class="choice" data-column={name}>
      <label class="hit">
        <input
          type="checkbox"
          data-part="table"
          checked={shown.has(name)}
          aria-label={say('rt.columns.table.of', { name: title })}
          onChange={() => onSet([name], !shown.has(name))}
        />
      </label>
      {axes && (
        <label class="hit">
          <input
            type="checkbox"
            data-part="axis"
            checked={axes.names.has(name)}
            disabled={!isAxis}
            aria-label={say('rt.columns.axis.of', { name: title })}
            onChange={() => axes.toggle(name)}
          />
        </label>
      )}
      <span class="name" title={name} onClick={() => onSet([name], !shown.has(name))}>
        {title}
      </span>
      <span class="detail">{detail}</span>
    </div>
  );
}
