import { canvasFile, fileName, Menu, message, useTableView } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { LandscapeParts } from './board';
import { legendPicture } from './legend';
import { toCanvas, toSVG, type Picture } from './marks';
import type { Item, Look } from './plan';
import { pathsOver, pictureOf } from './stage';
import { gridTable, pathTable } from './tables';

export interface Part {
  readonly items: readonly Item[];
  readonly title: string;
  readonly look: Look;
}

export interface ExportProps {
  readonly board: LandscapeParts;
  /** Side by side in one file. */
  readonly parts: readonly Part[];
  readonly name: string;
}

const SIZE = { one: [960, 640], tile: [480, 360] } as const;
const TITLE = 24; // pixels above each picture
const RATIO = 2;

export function Export({ board, parts, name }: ExportProps): JSX.Element {
  const font = (): string =>
    getComputedStyle(document.documentElement).getPropertyValue('--font').trim() || 'sans-serif';
  const background = parts[0]?.look.ink.surface ?? '';
  const noPicture = (): void => board.page.ctx.notify('error', board.page.t('webgl'));
  const save = (extension: string, content: Blob): void =>
    board.page.ctx.ui.download(fileName(name, extension, 'landscape'), content);
  const all = parts.flatMap(({ items }) => items);
  const title = parts.map((part) => part.title).join(board.page.t('list.separator'));
  const table = (): Promise<typeof import('@insight-host/kit/table')> => import('@insight-host/kit/table');
  const grid = useTableView(board.page, name, title, () => gridTable(board.page, all), table);
  const path = useTableView(board.page, `${name} path`, title, () => pathTable(board.page, all), table);
  return (
    <>
      <Menu
        action="export"
        icon="export"
        label={board.page.t('export.title')}
        items={() => [
          grid.item,
          ...(all.some(({ landscape }) => landscape.path)
            ? [{ ...path.item, action: 'view-path', text: board.page.t('path.table') }]
            : []),
          {
            action: 'export-png',
            text: board.page.t('export.png'),
            onPress: () => {
              const pictures = placed(board, parts);
              if (pictures.length === 0) return noPicture();
              canvasFile(toCanvas(pictures, RATIO, font(), background))
                .then((content) => save('png', content))
                .catch((error: unknown) =>
                  board.page.ctx.notify('error', board.page.t('export.failed', { reason: message(error) })),
                );
            },
          },
          {
            action: 'export-svg',
            text: board.page.t('export.svg'),
            onPress: () => {
              const pictures = placed(board, parts);
              if (pictures.length === 0) noPicture();
              else save('svg', new Blob([toSVG(pictures, name, font(), background)], { type: 'image/svg+xml' }));
            },
          },
        ]}
      />
      {grid.dialog}
      {path.dialog}
    </>
  );
}

function placed(
  board: LandscapeParts,
  parts: readonly Part[],
): readonly { readonly picture: Picture; readonly left: number; readonly top: number }[] {
  const [width, height] = parts.length === 1 ? SIZE.one : SIZE.tile;
  const columns = Math.ceil(Math.sqrt(parts.length));
  return parts.flatMap(({ items, title, look }, n) => {
    const drawn = pictureOf(board, items, look, width, height, RATIO);
    if (!drawn) return [];
    const named: Picture = {
      width,
      height: TITLE,
      marks: [{ kind: 'text', x: 12, y: TITLE / 2 + 2, text: title, color: look.ink.text, anchor: 'start' }],
    };
    const head = items.length > 1 ? legendPicture(items, look, width) : named;
    const [left, top] = [(n % columns) * width, Math.floor(n / columns) * (height + TITLE)];
    return [
      { picture: head, left, top },
      {
        picture: { ...drawn, marks: [...drawn.marks, ...pathsOver(board, items, look, width, height)] },
        left,
        top: top + head.height,
      },
    ];
  });
}
