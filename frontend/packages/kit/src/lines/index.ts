/** A line chart with zoom, pan, cursor and export. */
export * from './chart';
export * from './props';
