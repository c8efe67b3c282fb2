/** The kit as the page has it: one file that goes by two names. */
export * from './index';
export * from './lab';
