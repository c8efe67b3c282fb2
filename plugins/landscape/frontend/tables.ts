/** Landscapes and paths as rows of exact numbers. */
import type { ChartData } from '@insight-host/kit/table';
import type { Page } from '@insight-host/kit';
import type { Item } from './plan';

type Words = Pick<Page, 't'>;
type Rows = ChartData['rows'];

/** Of each point of the grid: the run if there are several, both coordinates and the loss. */
export function gridTable(page: Words, items: readonly Item[]): ChartData {
  return ofRuns(page, items, ['x', 'y', page.t('loss')], ({ landscape: { x, y, z } }) =>
    Array.from(z, (loss, at) => [x[at % x.length] as number, y[Math.floor(at / x.length)] as number, loss]),
  );
}

/** Of each point of the path of training: the run if there are several, the epoch or step, coordinates and loss. */
export function pathTable(page: Words, items: readonly Item[]): ChartData {
  const unit = items[0]?.landscape.about.unit === 'step' ? 'step' : 'epoch';
  return ofRuns(page, items, [page.t(`unit.${unit}`), 'x', 'y', page.t('loss')], ({ landscape: { path } }) =>
    path ? Array.from(path.at, (at, i) => [at, path.x[i] as number, path.y[i] as number, path.z[i] as number]) : [],
  );
}

function ofRuns(page: Words, items: readonly Item[], head: readonly string[], rowsOf: (item: Item) => Rows): ChartData {
  const [only] = items;
  if (only && items.length === 1) return { head, rows: rowsOf(only) };
  return {
    head: [page.t('run'), ...head],
    rows: items.flatMap((item) => rowsOf(item).map((row) => [item.name, ...row])),
  };
}
