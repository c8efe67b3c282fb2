/** The frame of a figure: title, tools, the numbers as a table, and files. */
import {
  type CsvCell,
  csvOf,
  fileName,
  Menu,
  type MenuItem,
  message,
  type Picture,
  pictureOf,
  pngFile,
  svgFile,
  useTableView,
} from '@insight-host/kit';
import type { ChartData } from '@insight-host/kit/table';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import { inkOf } from './ink';
import { profileName } from '../words';

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
  /** An SVG drawing becomes a picture, and whatever is not a table can be viewed as one. */
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

const MARGIN = 12;

/**
 * A drawing of the page as a file of its own: it has its colours as attributes already, and gets a ground to stand on.
 */
function standing(drawing: SVGSVGElement, background: string): Picture {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const box = drawing.getBoundingClientRect();
  const [width, height] = [Math.ceil(box.width) + 2 * MARGIN, Math.ceil(box.height) + 2 * MARGIN];
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.setAttribute('viewBox', `${-MARGIN} ${-MARGIN} ${width} ${height}`);
  copy.setAttribute('font-family', 'system-ui, sans-serif');
  for (const element of copy.querySelectorAll('[data-live]')) element.remove(); // what only follows the pointer
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [name, value] of [
    ['x', -MARGIN],
    ['y', -MARGIN],
    ['width', width],
    ['height', height],
    ['fill', background],
  ] as const)
    ground.setAttribute(name, String(value));
  copy.prepend(ground);
  return pictureOf(copy, width, height);
}

export function saveDrawing(
  board: ProfilerParts,
  name: string,
  drawing: SVGSVGElement | null | undefined,
  extension: 'svg' | 'png',
  background: string,
): void {
  if (!drawing) return;
  const picture = standing(drawing, background);
  save(board, name, extension, () => (extension === 'svg' ? svgFile : pngFile)(picture));
}

export function save(board: ProfilerParts, name: string, extension: string, make: () => Blob | Promise<Blob>): void {
  const { value: profile } = board.profiles.chosenInfo;
  Promise.resolve()
    .then(make)
    .then((content) =>
      board.page.ctx.ui.download(fileName(`${profile ? profileName(profile) : ''}_${name}`, extension, name), content),
    )
    .catch((error: unknown) =>
      board.page.ctx.notify('error', board.page.t('export.failed', { reason: message(error) })),
    );
}

export const csvBlob = (head: readonly string[], rows: readonly (readonly CsvCell[])[]): Blob =>
  new Blob([csvOf([head, ...rows])], { type: 'text/csv' });
