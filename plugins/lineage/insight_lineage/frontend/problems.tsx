import { Dialog } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { LineageParts } from './board';

/** What of the logs could not be read, and why. */
export function Problems({ board }: { readonly board: LineageParts }): JSX.Element {
  return (
    <Dialog name="problems" title={board.page.t('problems.title')} onClose={() => (board.dialog.value = null)}>
      <dl class="problems">
        {(board.loading.listing.value?.problems ?? []).map(({ run, tag, error }) => (
          <div key={`${run}\n${tag}`}>
            <dt>{[board.page.nameOf(run), tag].filter(Boolean).join(' · ')}</dt>
            <dd>{error}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
