/** Names of the views, in the order of the tab. */
export const VIEWS = [
  'overview',
  'advice',
  'operators',
  'kernels',
  'steps',
  'timeline',
  'memory',
  'pipeline',
  'communication',
  'cluster',
  'strategy',
  'flops',
  'shapes',
] as const;

export type ViewName = (typeof VIEWS)[number] | 'compare';
