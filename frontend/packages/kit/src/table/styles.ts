import { addStylesFirst } from '@insight-host/kit/lab';
import { useLayoutEffect } from 'preact/hooks';
import styles from './table.css?inline';

/** Keeps the rules of tables in the page while there is one. */
export function useTableStyles(): void {
  useLayoutEffect(() => addStylesFirst(styles), []);
}
