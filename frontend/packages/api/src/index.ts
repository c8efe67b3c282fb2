/** What a plugin's ES module and the page know of each other. */
export * from './contract';
export type * from './contributions';
export * from './snapshot';
