/** Cards that show one record of a series at a time: steps, sliders, playback, and the records of series. */
export * from './messages';
export * from './parts';
export type { Playback } from './playback';
export { indexOf, nearestIndex, type Stand } from './positions';
export { recordQuery, recordsAt, type Records, type RecordTables } from './records';
export * from './slider';
export type { Stands } from './stands';
export * from './tools';

import styles from './steps.css?inline';

/** CSS text of step sliders. */
export const stepStyles: string = styles;
