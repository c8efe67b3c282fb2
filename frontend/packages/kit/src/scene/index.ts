/**
 * Pictures in three dimensions: where a scene is looked at from, and what WebGL draws it with. It has no promise: any
 * release may change it.
 */
export * from './camera';
export * from './gl';
export * from './orbit';
