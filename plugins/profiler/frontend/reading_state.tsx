/** How far profiles are read, and what must be known of them. */
import { bytesText, Dialog } from '@insight-host/kit';
import type { Locale } from '@insight-host/api';
import { useAnswer } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { ProfilerParts } from './board';
import type { ProfileAnswer, ProfileInfo } from './answers/profile';
import { keyOf } from './profiles';
import { shortShare, sizeText } from './units';
import { asking } from './use_answer';
import { noteText, profileName } from './words';
import { useEffect, useRef } from 'preact/hooks';
import type { RanksProgress } from './advice/texts';

interface ReadingStateProps {
  readonly board: ProfilerParts;
  readonly profile: ProfileAnswer;
}

/** How far a profile is read, while it is; and when the host does not answer any longer. */
export function ReadingState({ board, profile }: ReadingStateProps): JSX.Element | null {
  const { t: say } = board.page;
  if (board.profiles.failure.value !== null)
    return (
      <p class="reading problem" role="status">
        {board.profiles.failure.value}
      </p>
    );
  if (profile.state !== 'reading') return null;
  return (
    <ReadingBar key={keyOf(profile)} board={board} profile={profile}>
      {profile.views.length > 0 && <span class="so-far">{say('reading.so_far')}</span>}
    </ReadingBar>
  );
}

/** How far the baseline is read, while it is. */
export function ReadingBase({ board, base }: { readonly board: ProfilerParts; readonly base: ProfileInfo }) {
  const { value: answer } = useAnswer<ProfileAnswer>(
    `reading ${keyOf(base)} ${base.wall_time}`,
    (signal) => board.profiles.ask(base, signal),
    { ...asking(board), poll: ({ state }) => state === 'reading' },
  );
  return answer?.state === 'reading' ? <ReadingBar board={board} profile={answer} /> : null;
}

interface ReadingBarProps {
  readonly board: ProfilerParts;
  readonly profile: ProfileAnswer;
  readonly children?: ComponentChildren;
}

/** `Reading after.pt.trace.json.gz: 120 of 340 MB, 4 s`. */
function ReadingBar({ board, profile, children }: ReadingBarProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const seconds = useSignal(0);
  useEffect(() => {
    const began = Date.now();
    const timer = setInterval(() => (seconds.value = Math.round((Date.now() - began) / 1000)), 1000);
    return () => clearInterval(timer);
  }, []);
  const share = profile.total > 0 ? Math.min(1, profile.read / profile.total) : 0;
  const name = /^\.(#|$)/.test(profile.profile) ? profileName(profile) : (profile.profile.split('/').at(-1) ?? '');
  return (
    <div class="reading" role="status" data-testid="reading">
      <progress max={1} value={share} aria-label={say('reading.label')} />
      <span>{say('reading.file', { name, sizes: sizesText(board, profile.read, profile.total, locale) })}</span>
      {/* not announced each second */}
      {seconds.value > 0 && <span aria-hidden="true">{say('reading.seconds', { count: seconds.value })}</span>}
      {children}
    </div>
  );
}

/** `120 of 340 MB`, or both with their units. */
function sizesText(board: ProfilerParts, read: number, total: number, locale: Locale): string {
  const [part, whole] = [bytesText(read, locale), bytesText(total, locale)];
  const [unit, isSame] = [/\s?\D+$/, part.replace(/[\d.,\s]/g, '') === whole.replace(/[\d.,\s]/g, '')];
  return board.page.t('overview.of', { part: isSame ? part.replace(unit, '') : part, whole });
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
          {noteText(board, note)}
        </li>
      ))}
    </ul>
  );
}

/** How far the ranks of a job are read. Its line stays when all are, so that nothing below it moves. */
export function ReadingRanks({
  board,
  progress: { shown, unread, read, total },
}: {
  readonly board: ProfilerParts;
  readonly progress: RanksProgress;
}): JSX.Element | null {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const wasShown = useRef(false);
  wasShown.current ||= unread > 0;
  if (!wasShown.current) return null;
  return (
    <div class="reading of-ranks" role="status" data-testid="reading-ranks" data-unread={unread}>
      <progress max={Math.max(1, total)} value={read} aria-label={say('reading.label')} />
      <span>{say(unread > 0 ? 'cluster.reading' : 'cluster.read', { shown, count: shown + unread })}</span>
      {unread > 0 && (
        <span class="count">
          {say('reading', { share: shortShare(total > 0 ? read / total : 0, locale), total: sizeText(total, locale) })}
        </span>
      )}
    </div>
  );
}
