/** One table for all tabs: any length and width, sorted, resized, copied; see README.md of the kit. */
export * from './contract';
export * from './copying';
export * from './edit';
export * from './files';
export { resize } from './head';
export * from './layout';
export { type Area, type Cell } from './selection';
export * from './sight';
export * from './sorting';
export * from './table';
export * from './widths';
import styles from './table.css?inline';

/** CSS text of the table. */
export const tableStyles: string = styles;
