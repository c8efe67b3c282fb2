/** The map as a table: a line for each row, with its first bad step and the number of each column. */
import type { ChartData } from '@insight-host/kit/table';
import { runAt, type HeatMap } from './answer';
import type { Page } from '@insight-host/kit';
import { namesOf } from './words';

export function tableOf(map: HeatMap, page: Page): ChartData {
  const { t: say } = page;
  const names = namesOf(map, page);
  const columns =
    map.view === 'matrix'
      ? map.runs.map((run) => page.nameOf(run))
      : Array.from(map.firsts, (first, i) => (first === map.lasts[i] ? `${first}` : `${first}–${map.lasts[i]}`));
  const isMerged = map.view === 'layers' && map.runs.length > 1;
  const head = [say(map.view === 'ranks' ? 'table.run' : 'table.layer'), say('table.bad'), ...columns];
  const rows = names.map((name, row) => {
    const cells = Array.from({ length: map.columns }, (_, column) => map.numbers[row * map.columns + column] ?? NaN);
    const bad = map.flags.subarray(row * map.columns, (row + 1) * map.columns).findIndex((flags) => flags !== 0);
    const run = bad >= 0 && isMerged ? runAt(map, row, bad) : undefined;
    const where = bad < 0 ? null : `${columns[bad]}${run === undefined ? '' : ` (${page.nameOf(run)})`}`;
    return [name, where, ...cells.map((value) => (Number.isNaN(value) ? null : value))];
  });
  return { head, rows };
}
