/**
 * What charts are drawn with: painters for canvas and SVG, scales, ticks, legends and colours. It has no promise:
 * any release may change it.
 */
export * from './area';
export * from './canvas_painter';
export * from './legend';
export { namesApart, textWidth } from './names';
export * from './painter';
export { Screen, type Drawn } from './screen';
export * from './files';
export * from './ticks';
