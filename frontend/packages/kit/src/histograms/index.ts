/** Histograms: their chart, and the cards of tabs that show them. */
export { decodeHistograms, runRows, stepRows, type HistogramError, type Histograms } from './answer';
export * from './cards';
export { mountHistogramChart } from './chart';
export {
  histogramMessages,
  histogramParts,
  histogramSettings,
  turnView,
  type HistogramParts,
  type HistogramSettings,
} from './parts';
export * from './props';
export { HistogramStatus, type HistogramStatusProps } from './reading';
export * from './tools';

import styles from './histogram.css?inline';

/** CSS text of the cards. */
export const histogramStyles: string = styles;
