/** One table for all tabs: any length and width, sorted, resized, copied; see README.md of the kit. */
export * from './edit';
export * from './evidence';
export { useWidths, type EvenColumns, type Widths } from './layout';
export { type Area } from './selection';
export {
  ordered,
  rowsOf,
  sortOf,
  sortText,
  turned,
  type CellLook,
  type Column,
  type LineLook,
  type Rows,
  type Sort,
  type Sorting,
  type TableProps,
  type Value,
} from './contract';
export * from './served_rows';
export * from './table';
export * from './table_dialog';

import styles from './table.css?inline';

/** CSS text of the table. */
export const tableStyles: string = styles;
