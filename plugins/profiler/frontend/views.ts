/** The views and where their code is; each is loaded when it is first looked at. */
import type { JSX } from 'preact';
import type { ProfilerParts } from './board';
import type { ViewName } from './view_names';

/** A view fills the tab below its toolbar: a column of fixed height that scrolls by itself. */
export interface ViewProps {
  readonly board: ProfilerParts;
}
export type View = (props: ViewProps) => JSX.Element;

export const LOADERS: Readonly<Partial<Record<ViewName, () => Promise<{ readonly default: View }>>>> = {
  overview: () => import('./views/overview'),
  advice: () => import('./views/advice'),
  operators: () => import('./views/operators'),
  kernels: () => import('./views/kernels'),
  steps: () => import('./views/steps'),
  timeline: () => import('./timeline'),
  memory: () => import('./views/memory'),
  pipeline: () => import('./views/pipeline'),
  communication: () => import('./views/communication'),
  cluster: () => import('./views/cluster'),
  strategy: () => import('./views/strategy'),
  flops: () => import('./views/flops'),
  shapes: () => import('./views/shapes'),
  compare: () => import('./views/compare'),
};
