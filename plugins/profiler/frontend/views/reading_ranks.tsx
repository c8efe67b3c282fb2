import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { RanksProgress } from '../answers/advice';
import type { ProfilerParts } from '../board';
import { shortShare, sizeText } from '../units';

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
