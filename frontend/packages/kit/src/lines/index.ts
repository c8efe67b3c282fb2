/** A line chart with zoom, pan, cursor and export. */
export * from './chart';
export { marksAt } from './overlay';
export * from './props';
export type { Area, AxisKind, Numbers } from '@insight-host/kit/draw';
