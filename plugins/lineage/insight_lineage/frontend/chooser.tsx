import { useSignal } from '@preact/signals';
import { Dialog } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ColumnInfo, Group } from './answers';
import type { LineageParts } from './board';
import { Layouts } from './layouts';

const GROUPS: readonly Group[] = [
  'annotation',
  'metric',
  'hyperparameter',
  'custom',
  'model',
  'dataset',
  'pipeline',
  'run',
  'scalar',
];
const MOST = 400; // of a group, until the search says more

/** Which columns the table has, and which of them are axes. */
export function Chooser({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const search = useSignal('');
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [...board.columns.all.value.values()].filter(
    ({ name, count, group }) =>
      name !== 'run' &&
      (count > 0 || group === 'annotation') &&
      words.every((word) => name.toLowerCase().includes(word)),
  );
  const shown = new Set(board.columns.shown.value);
  const set = (names: readonly string[], on: boolean): void => {
    if (on) board.columns.setShown([...board.columns.shown.value, ...names.filter((name) => !shown.has(name))]);
    else board.columns.setShown(board.columns.shown.value.filter((name) => !names.includes(name)));
  };
  return (
    <Dialog name="columns" title={say('columns.title')} onClose={() => (board.dialog.value = null)}>
      <div class="row between">
        <input
          type="search"
          data-control="column-search"
          placeholder={say('columns.search')}
          aria-label={say('columns.search')}
          value={search.value}
          onInput={(event) => (search.value = event.currentTarget.value)}
        />
        <button
          type="button"
          data-action="columns-default"
          onClick={() => {
            board.columns.setShown(null);
            board.columns.setAxes(null);
          }}
        >
          {say('columns.default')}
        </button>
      </div>
      <Layouts board={board} />
      <div class="chooser" data-testid="chooser">
        <div class="choice head">
          <span>{say('columns.table')}</span>
          <span>{say('columns.axis')}</span>
        </div>
        {GROUPS.map((group) => {
          const own = all.filter((column) => column.group === group);
          if (own.length === 0) return null;
          const names = own.map(({ name }) => name);
          const every = names.every((name) => shown.has(name));
          return (
            <section key={group} data-group={group}>
              <h4>
                <label>
                  <input type="checkbox" checked={every} onClick={() => set(names, !every)} />
                  {say(`group.${group}`)}
                </label>
                <span class="count">{own.length.toLocaleString(board.page.locale.value)}</span>
              </h4>
              {own.slice(0, MOST).map((column) => (
                <Choice
                  key={column.name}
                  board={board}
                  column={column}
                  checked={shown.has(column.name)}
                  onSet={(on) => set([column.name], on)}
                />
              ))}
              {own.length > MOST && <p class="hint">{say('columns.more', { count: own.length - MOST })}</p>}
            </section>
          );
        })}
        {all.length === 0 && <p class="hint">{say('columns.none')}</p>}
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly board: LineageParts;
  readonly column: ColumnInfo;
  readonly checked: boolean;
  readonly onSet: (on: boolean) => void;
}

function Choice({ board, column, checked, onSet }: ChoiceProps): JSX.Element {
  const { t: say } = board.page;
  const { name, title, type, count, group } = column;
  const axes = board.columns.wantedAxes.value;
  const isAxis = axes.includes(name);
  const text = group === 'annotation' ? say(`column.${name}`) : group === 'scalar' ? name : title;
  return (
    <div class="choice" data-column={name}>
      <input
        type="checkbox"
        data-part="table"
        checked={checked}
        aria-label={say('columns.table.of', { name })}
        onClick={() => onSet(!checked)}
      />
      <input
        type="checkbox"
        data-part="axis"
        checked={isAxis}
        disabled={type === 'list'}
        aria-label={say('columns.axis.of', { name })}
        onClick={() => board.columns.setAxes(isAxis ? axes.filter((axis) => axis !== name) : [...axes, name])}
      />
      <span class="name" title={name}>
        {text}
      </span>
      <span class="kind">{say(`type.${type}`)}</span>
      <span class="count">{say('columns.count', { count })}</span>
    </div>
  );
}
