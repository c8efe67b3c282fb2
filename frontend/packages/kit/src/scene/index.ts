/**
 * Pictures in three dimensions: where a scene is looked at from, and what WebGL draws it with. It has no promise: any
 * release may change it.
 */
export * from './gl';
export * from './camera';
