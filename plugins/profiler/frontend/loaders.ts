/** Where the code of each view is; it is loaded when the view is first looked at. */
import type { ViewName } from './view_names';
import type { View } from './views';

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
