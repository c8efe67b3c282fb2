import type { JSX } from 'preact';
import type { RanksProgress } from '../answers/advice';
import type { ProfilerParts } from '../board';
import { shortShare, sizeText } from '../units';

/** How far the ranks of a job are read; nothing once all are. */
export function ReadingRanks({
  board,
  progress: { shown, unread, read, total },
}: {
  readonly board: ProfilerParts;
  readonly progress: RanksProgress;
}): JSX.Element | null {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  if (unread === 0) return null;
  return (
    <div class="reading of-ranks" role="status" data-testid="reading-ranks">
      <progress max={Math.max(1, total)} value={read} aria-label={say('reading.label')} />
      <span>{say('cluster.reading', { count: unread, shown })}</span>
      <span class="count">
        {say('reading', { share: shortShare(total > 0 ? read / total : 0, locale), total: sizeText(total, locale) })}
      </span>
    </div>
  );
}
