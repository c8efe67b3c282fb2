/** What the run panel loads when it is used: menus, the legend of colours, rows of groups, and how runs look. */
import { effect } from '@preact/signals';
import type { JSX } from 'preact';
import type { Drawing } from '@insight-host/api';
import { Coloring, type ColoringScope } from '../coloring/coloring';
import colorStyles from '../coloring/coloring.css?inline';
import { Legend, pickBeside } from '../coloring/view';
import type { Page } from '../state/page';
import type { Runs } from '../state/runs';
import { addStyles } from '../views/styles';
import { GroupList } from './group_list';
import { Menus } from './menus';
import { Metrics } from './metrics';
import styles from './panel.css?inline';

const MANY = 60; // lines that a chart draws

export interface PanelView {
  readonly coloring: Coloring;
  /** Names a column, as short as it can be. */
  titleOf(key: string): string;
  /** The orders that charts offer, see `Drawing`. */
  orders(runs: Runs): Drawing['orders'];
  /** The open menu, and what the colours say. */
  readonly Below: () => JSX.Element;
  readonly GroupList: typeof GroupList;
  /** The colouring of the runs of a card that is shown elsewhere; `end` ends it. */
  apart(scope: ColoringScope): Coloring;
  /** Lets the user pick the colour of a run, next to an element. */
  pick(run: string, beside: Element): void;
}

export function panelView(page: Page): PanelView {
  addStyles(colorStyles);
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
    coloring,
    titleOf: (key) => metrics.titleOf(key),
    orders: (runs) => metrics.orders(runs),
    Below,
    GroupList,
    apart: (scope) => new Coloring(scope),
    pick: (run, beside) => pickBeside(page, coloring, run, beside),
  };
}
