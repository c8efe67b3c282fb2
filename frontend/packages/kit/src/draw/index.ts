/**
 * What charts are drawn with: painters for canvas and SVG, scales, ticks, legends and colours. It has no promise:
 * any release may change it.
 */
export * from './area';
export * from './canvas_painter';
export * from './files';
export * from './legend';
export * from './painter';
export * from './screen';
export * from './svg_painter';
export * from './ticks';
