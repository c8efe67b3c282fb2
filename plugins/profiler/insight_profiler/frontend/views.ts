import type { JSX } from 'preact';
import type { ViewProps } from './board';
import type { ViewName } from './view_names';

export type View = (props: ViewProps) => JSX.Element;

/** The views and where their code is; each is loaded when it is first looked at. */
export const LOADERS: Readonly<Partial<Record<ViewName, () => Promise<{ readonly default: View }>>>> = {
  overview: () => import('./views/overview'),
  advice: () => import('./views/advice'),
  operators: () => import('./views/operators'),
  kernels: () => import('./views/tables').then(({ Kernels }) => ({ default: Kernels })),
  steps: () => import('./views/steps'),
  timeline: () => import('./timeline'),
  memory: () => import('./views/memory'),
  pipeline: () => import('./views/pipeline'),
  communication: () => import('./views/tables').then(({ Communication }) => ({ default: Communication })),
  cluster: () => import('./views/cluster'),
  strategy: () => import('./views/strategy'),
  flops: () => import('./views/flops'),
  shapes: () => import('./views/tables').then(({ Shapes }) => ({ default: Shapes })),
  compare: () => import('./views/compare'),
};
