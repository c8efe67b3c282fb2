import type { JSX } from 'preact';
import type { LineageParts } from './board';
import { VIEWS, type ViewName } from './choices';
import { SavedEntries } from './saved_entries';

/** Columns and axes of one view, as they are saved under a name. */
export interface Layout {
  readonly view: ViewName;
  readonly columns: readonly string[];
  readonly axes: readonly string[];
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

const isLayout = (value: Partial<Layout> | null): value is Layout =>
  value !== null && VIEWS.includes(value.view as ViewName) && isNames(value.columns) && isNames(value.axes);

/** Layouts of the table and the plot under names. */
export function Layouts({ board }: { readonly board: LineageParts }): JSX.Element | null {
  const show = (value: unknown): boolean => {
    const layout = value as Partial<Layout> | null;
    if (!isLayout(layout)) return false;
    board.columns.lay(layout);
    return true;
  };
  return <SavedEntries board={board} kind="layout" now={() => board.columns.layout} show={show} />;
}
