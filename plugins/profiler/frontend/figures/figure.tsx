import { Menu, useTableView, type MenuItem } from '@insight-host/kit';
import type { ChartData } from '@insight-host/kit/table';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import { csvBlob, save, saveDrawing } from './files';
import { inkOf } from './ink';

export interface FigureProps {
  readonly board: ProfilerParts;
  /** For tests and files, the same in every language. */
  readonly name: string;
  readonly title: string;
  readonly hint?: string;
  /** Next to the title. */
  readonly tools?: ComponentChildren;
  /** What is drawn, as a table; asked when it is saved. */
  readonly data?: () => ChartData;
  /** More of what the menu offers. */
  readonly items?: () => readonly MenuItem[];
  /** An SVG drawing becomes a picture, and whatever is no table can be viewed as one. */
  readonly content?: 'drawing' | 'chart' | 'table';
  readonly busy?: boolean;
  readonly children: ComponentChildren;
}

/** One part of a view: a title, what is said, and its files. */
export function Figure({
  board,
  name,
  title,
  hint,
  tools,
  data,
  items,
  content = 'drawing',
  busy = false,
  children,
}: FigureProps): JSX.Element {
  const place = useRef<HTMLElement>(null);
  const isWanted = board.figure.value === name;
  useEffect(() => {
    if (!isWanted) return;
    place.current?.scrollIntoView({ block: 'start' });
    board.figure.set(null);
  }, [isWanted]);
  const { t: say } = board.page;
  const table = useTableView(board.page, name, title, data ?? (() => null), () => import('@insight-host/kit/table'));
  const picture = (extension: 'svg' | 'png'): void =>
    saveDrawing(
      board,
      name,
      place.current?.querySelector<SVGSVGElement>('svg.drawing'),
      extension,
      inkOf(board.page.theme.peek()).background,
    );
  const all = (): readonly MenuItem[] => [
    ...(content === 'drawing'
      ? [
          { action: 'export-svg', text: say('export.svg'), onPress: () => picture('svg') },
          { action: 'export-png', text: say('export.png'), onPress: () => picture('png') },
        ]
      : []),
    ...(items?.() ?? []),
    ...(data && content !== 'table' ? [table.item] : []),
    ...(data
      ? [
          {
            action: 'export-csv',
            text: say('export.csv'),
            onPress: () => save(board, name, 'csv', () => csvBlob(data().head, data().rows)),
          },
        ]
      : []),
  ];
  return (
    <section ref={place} class={busy ? 'figure busy' : 'figure'} data-figure={name} aria-label={title}>
      <header>
        <h3 title={hint}>{title}</h3>
        <span class="tools">
          {tools}
          {(content === 'drawing' || data || items) && (
            <Menu action="export" icon="export" label={say('export.of', { title })} items={all} />
          )}
        </span>
      </header>
      {children}
      {table.dialog}
    </section>
  );
}
