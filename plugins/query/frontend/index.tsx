import { tab } from '@insight-host/kit';
import { Modes, tableStyles } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { QueryBoard } from './board';
import { Editor } from './editor';
import { messages } from './messages';
import styles from './query.css?inline';
import { Results } from './results';

export default tab({
  messages,
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
