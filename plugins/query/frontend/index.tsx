import { Button, tab } from '@insight-host/kit';
import { Modes, tableStyles } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { QueryBoard } from './board';
import en from '../insight_query/locales/en.json';
import zh from '../insight_query/locales/zh-CN.json';
import styles from './query.css?inline';
import { Results } from './results';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: tableStyles + styles,
  board: (page) => new QueryBoard(page),
  view: (board) => <App board={board} />,
  keys: () => [],
});

function App({ board }: { readonly board: QueryBoard }): JSX.Element {
  const { page, answer, failure, busy } = board;
  const found = answer.value;
  return (
    <div class="kit query" data-ready={busy.value ? undefined : ''} aria-busy={busy.value}>
      <Modes page={page} />
      <Editor board={board} />
      {failure.value && (
        <p role="alert" class="failure">
          {failure.value}
        </p>
      )}
      {busy.value && (
        <p class="hint" role="status">
          {page.t('running')}
        </p>
      )}
      {found && !failure.value && <Results board={board} answer={found} />}
    </div>
  );
}

const EXAMPLES = [
  {
    name: 'best',
    lines: [
      'select run, min(value) as best, arg_min(step, value) as at_step',
      'from scalars',
      "where tag = '{tag}'",
      'group by run',
      'order by best',
      'limit 20',
    ],
  },
  {
    name: 'curves',
    lines: ['select run, step, value', 'from scalars', "where tag = '{tag}'", 'order by run, step'],
  },
  {
    name: 'records',
    lines: [
      'select plugin, count(*) as records, sum(bytes) as bytes',
      'from records',
      'group by plugin',
      'order by bytes desc',
    ],
  },
];

/** Edits a query, with the tables and columns that it can name. */
function Editor({ board }: { readonly board: QueryBoard }): JSX.Element {
  const { t: say } = board.page;
  const text = useRef<HTMLTextAreaElement>(null);
  const draft = board.draft.value;
  useEffect(() => {
    if (draft === '') text.current?.focus({ preventScroll: true });
  }, []);
  const insert = (name: string): void => {
    const area = text.current;
    if (!area) return;
    area.setRangeText(name, area.selectionStart, area.selectionEnd, 'end');
    board.draft.value = area.value;
    area.focus();
  };
  return (
    <div class="editor">
      <div class="write">
        <textarea
          ref={text}
          aria-label={say('editor')}
          placeholder={say('placeholder')}
          spellcheck={false}
          autocapitalize="off"
          rows={Math.max(5, Math.min(16, draft.split('\n').length + 1))}
          value={draft}
          onInput={({ currentTarget }) => (board.draft.value = currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            board.run();
          }}
        />
        <div class="buttons">
          {board.busy.value ? (
            <button type="button" class="ih-button" data-action="stop-query" onClick={() => board.stop()}>
              {say('stop')}
            </button>
          ) : (
            <button
              type="button"
              class="ih-button primary"
              data-action="run-query"
              disabled={draft.trim() === ''}
              onClick={() => board.run()}
            >
              {say('run')} <kbd>Ctrl ↵</kbd>
            </button>
          )}
          <span class="examples">
            {say('examples')}
            {EXAMPLES.map(({ name, lines }) => (
              <Button
                key={name}
                action={`example-${name}`}
                text={say(`example.${name}`)}
                label={say(`example.${name}`)}
                onPress={() =>
                  (board.draft.value = lines.join('\n').replace('{tag}', board.tag.value.replaceAll("'", "''")))
                }
              />
            ))}
          </span>
        </div>
      </div>
      <section class="tables" aria-label={say('tables')}>
        {board.tables.value.map((table) => (
          <details key={table.name} data-table={table.name}>
            <summary title={table.text}>{table.name}</summary>
            <ul>
              {table.columns.map(({ name, type, text: meaning }) => (
                <li key={name}>
                  <button
                    type="button"
                    title={meaning}
                    onClick={() => insert(/^[a-z_]\w*$/i.test(name) ? name : `"${name}"`)}
                  >
                    {name}
                  </button>{' '}
                  <small>{say(`type.${type}`)}</small>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </section>
    </div>
  );
}
