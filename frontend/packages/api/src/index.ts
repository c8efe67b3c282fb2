/** What a plugin's ES module and the page know of each other. */
export * from './values';
export type * from './contract';
export type * from './contributed';
export type * from './contributions';
export * from './snapshot';
