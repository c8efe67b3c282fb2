import type { JSX } from 'preact';
import type { QueryBoard } from './board';
import { Editor } from './editor';
import { Results } from './results';

export function App({ board }: { readonly board: QueryBoard }): JSX.Element {
  const { page, answer, failure, busy } = board;
  const found = answer.value;
  return (
    <div class="kit query" data-ready={busy.value ? undefined : ''} aria-busy={busy.value}>
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
