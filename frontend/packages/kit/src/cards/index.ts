/** Cards, and whole tabs of them. */
export * from './as_table';
export * from './card_grid';
export { CardGuard, ErrorCell, problemOf, type ErrorCellProps } from './error_cell';
export * from './frame';
export * from './card';
export * from './plugin_cards';

import styles from './cards.css?inline';

/** CSS text of cards. */
export const cardStyles: string = styles;
