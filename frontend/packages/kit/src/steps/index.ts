/** Cards that show one record of a series at a time: steps, sliders, playback, and the records of series. */
export * from './messages';
export * from './parts';
export * from './playback';
export * from './positions';
export * from './records';
export * from './slider';
export * from './stands';
export * from './tools';

import styles from './steps.css?inline';

/** CSS text of step sliders. */
export const stepStyles: string = styles;
