/** Histograms: their chart, and the cards of tabs that show them. */
export { decodeHistograms, runRows, stepRows, type HistogramError, type Histograms } from './answer';
export * from './parts';
export * from './cards';
export * from './chart';
export * from './messages';
export * from './props';
export * from './status';
export * from './tools';
import styles from './histogram.css?inline';

/** CSS text of the cards. */
export const histogramStyles: string = styles;
