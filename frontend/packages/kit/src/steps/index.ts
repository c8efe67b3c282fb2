/** Cards that show one record of a series at a time: steps, sliders, playback, and the records of series. */
export { stepMessages, stepParts, type Playback, type Stands, type StepParts } from './parts';
export { indexOf, nearestIndex, type Stand } from './positions';
export { recordQuery, recordsAt, type Records, type RecordTables } from './records';
export * from './slider';

import styles from './steps.css?inline';

/** CSS text of step sliders. */
export const stepStyles: string = styles;
