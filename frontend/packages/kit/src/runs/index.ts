/** The one table of runs: what the page shows next to its charts, and the tab Runs. */
export * from './chooser';
export * from './frame';
export * from './cells';
export * from './ordering';
export * from './run_table';
export * from './sections';
export * from './standing';
