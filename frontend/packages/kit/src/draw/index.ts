/**
 * What charts are drawn with: painters for canvas and SVG, scales, ticks, legends and colours. It has no promise:
 * any release may change it.
 */
export * from './area';
export * from './axis';
export * from './calendar';
export * from './canvas_painter';
export * from './files';
export * from './fitting';
export * from './legend';
export * from './painter';
export * from './palette';
export * from './plot';
export * from './scale';
export * from './screen';
export * from './svg_painter';
export * from './ticks';
