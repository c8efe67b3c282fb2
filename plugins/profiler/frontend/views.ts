/** What a view is. */
import type { JSX } from 'preact';
import type { ProfilerParts } from './board';

/** A view fills the tab below its toolbar: a column of fixed height that scrolls by itself. */
export interface ViewProps {
  readonly board: ProfilerParts;
}
export type View = (props: ViewProps) => JSX.Element;
