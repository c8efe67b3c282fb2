/** A line chart with zoom, pan, cursor and export. */
export * from './chart';
export { marksAt } from './overlay';
export * from './props';
