/** The records of a card, as rows of a table. */
import { exactAt } from '@insight-host/kit';
import type { Records } from '@insight-host/kit/steps';
import type { ChartData } from '@insight-host/kit/table';
import type { ImageParts } from './board';

/** A row for each record that the slider goes over: step, date and time in ISO 8601 (UTC), and size in bytes. */
export function recordsTable(board: ImageParts, { steps, wallTimes, sizes }: Records): ChartData {
  return {
    head: [board.page.t('time.kind.step'), board.page.t('table.time'), board.page.t('table.size')],
    rows: Array.from(steps, (_, i) => [
      exactAt(steps, i),
      momentOf(wallTimes[i]),
      (sizes[i] ?? -1) < 0 ? null : (sizes[i] as number),
    ]),
  };
}

function momentOf(seconds = NaN): string | null {
  const moment = new Date(1000 * seconds);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}
