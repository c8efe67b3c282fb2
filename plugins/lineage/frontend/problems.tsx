import { Dialog } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { LineageParts } from './board';

/** What of the logs could not be read or differs, and why. */
export function Problems({ board }: { readonly board: LineageParts }): JSX.Element {
  return (
    <Dialog name="problems" title={board.page.t('problems.title')} onClose={() => (board.dialog.value = null)}>
      <dl class="problems">
        {(board.loading.listing.value?.problems ?? []).map((problem) => (
          <div key={`${problem.run}\n${problem.tag}`}>
            <dt>{[board.page.nameOf(problem.run), problem.tag].filter(Boolean).join(' · ')}</dt>
            <dd>{board.page.reason(problem)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
