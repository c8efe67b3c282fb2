/** What the run panel loads when it is used: menus, the legend of colours, rows of groups, and how runs look. */
import { effect } from '@preact/signals';
import { Coloring } from '../coloring/coloring';
import { Legend, pickBeside } from '../coloring/view';
import type { PanelView } from '../state/late';
import type { Page } from '../state/page';
import { addStyles } from '../views/parts';
import { GroupList } from './group_list';
import { Menus } from './menus';
import { Metrics } from './metrics';
import styles from './panel.css?inline';

const MANY = 60; // lines that a chart draws

export function panelView(page: Page): PanelView {
  addStyles(styles);
  const coloring = new Coloring(page);
  const metrics = new Metrics(page);
  effect(() => void (page.runs.metric.value = metrics.shown.value));
  effect(() => {
    const { columns, runs } = page;
    if (runs.all.value.length > MANY) columns.value?.columns.need(); // for the orders that charts offer
  });
  const Below = () => (
    <>
      <Menus coloring={coloring} metrics={metrics} />
      <Legend coloring={coloring} />
    </>
  );
  return {
    titleOf: (key) => metrics.titleOf(key),
    orders: (runs) => metrics.orders(runs),
    Below,
    GroupList,
    apart: ({ url, runs }) => new Coloring({ url, runs, preferences: page.preferences, columns: page.columns }),
    pick: (run, anchor) => pickBeside(page, coloring, run, anchor),
  };
}
