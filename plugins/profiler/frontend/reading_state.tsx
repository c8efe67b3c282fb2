import { bytesText, Dialog } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts } from './board';
import type { ProfileAnswer } from './answers/profile';
import { shortShare } from './units';
import { sentence } from './words';

interface ReadingStateProps {
  readonly board: ProfilerParts;
  readonly profile: ProfileAnswer;
}

/** How far a profile is read, while it is; and when the host does not answer any longer. */
export function ReadingState({ board, profile }: ReadingStateProps): JSX.Element | null {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  if (board.profiles.failure.value !== null)
    return (
      <p class="reading problem" role="status">
        {board.profiles.failure.value}
      </p>
    );
  if (profile.state !== 'reading') return null;
  const share = profile.total > 0 ? Math.min(1, profile.read / profile.total) : 0;
  return (
    <div class="reading" role="status" data-testid="reading">
      <progress max={1} value={share} aria-label={say('reading.label')} />
      <span>{say('reading', { share: shortShare(share, locale), total: bytesText(profile.total, locale) })}</span>
      {profile.views.length > 0 && <span class="so-far">{say('reading.so_far')}</span>}
    </div>
  );
}

/** What one must know of a profile: files that are missing, cut or not understood. */
export function NotesDialog({
  board,
  onClose,
}: {
  readonly board: ProfilerParts;
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <Dialog name="notes" title={board.page.t('notes.title')} onClose={onClose}>
      <Notes board={board} />
    </Dialog>
  );
}

/** What the reader of a profile noted, as a list. */
export function Notes({ board }: { readonly board: ProfilerParts }): JSX.Element {
  return (
    <ul class="notes">
      {(board.profiles.profile.value?.notes ?? []).map((note, i) => (
        <li key={i} data-note={note.code}>
          {sentence(board, 'note', note)}
        </li>
      ))}
    </ul>
  );
}
