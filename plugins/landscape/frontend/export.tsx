import { canvasFile, fileName, Menu, message, useTableView } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { LandscapeParts } from './board';
import { legendPicture } from './legend';
import { toCanvas, toSVG, type Picture } from './marks';
import type { Item, Look } from './plan';
import { animationOf, canAnimate } from './animation';
import { heavyLines, pathsOver, pictureOf } from './picture';
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
  const attempt = (work: () => Promise<void>): void =>
    void work().catch((error: unknown) =>
      board.page.ctx.notify('error', board.page.t('export.failed', { reason: message(error) })),
    );
  const [part, item] = [parts[0], parts[0]?.items[0]];
  const moving = parts.length === 1 && part && item && part.items.length === 1 && canAnimate(item, part.look);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const record = (): void => {
    if (!part || !item || board.recording.peek() !== null) return;
    const { signal } = (stop.current = new AbortController());
    board.recording.value = 0;
    attempt(async () => {
      try {
        save('gif', await animationOf(board, item, part.look, font(), signal));
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        board.recording.value = null;
      }
    });
  };
  const all = parts.flatMap(({ items }) => items);
  const title = parts.map((part) => part.title).join(board.page.t('list.separator'));
  const table = (): Promise<typeof import('@insight-host/kit/table')> => import('@insight-host/kit/table');
  const grid = useTableView(board.page, name, title, () => gridTable(board.page, all), table);
  const path = useTableView(board.page, `${name} path`, title, () => pathTable(board.page, all), table);
  return (
    <>
      {moving && board.recording.value !== null && (
        <button
          type="button"
          class="tool text"
          data-action="stop-gif"
          title={board.page.t('export.gif.stop')}
          onClick={() => stop.current.abort()}
        >
          {board.page.t('export.gif.progress', { percent: Math.round(100 * board.recording.value) })}
        </button>
      )}
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
            onPress: () =>
              attempt(async () => {
                const pictures = await placed(board, parts);
                if (pictures.length === 0) return noPicture();
                save('png', await canvasFile(toCanvas(pictures, RATIO, font(), background)));
              }),
          },
          {
            action: 'export-svg',
            text: board.page.t('export.svg'),
            onPress: () =>
              attempt(async () => {
                const pictures = await placed(board, parts);
                if (pictures.length === 0) return noPicture();
                save('svg', new Blob([toSVG(pictures, name, font(), background)], { type: 'image/svg+xml' }));
              }),
          },
          ...(moving ? [{ action: 'export-gif', text: board.page.t('export.gif'), onPress: record }] : []),
        ]}
      />
      {grid.dialog}
      {path.dialog}
    </>
  );
}

async function placed(
  board: LandscapeParts,
  parts: readonly Part[],
): Promise<readonly { readonly picture: Picture; readonly left: number; readonly top: number }[]> {
  const [width, height] = parts.length === 1 ? SIZE.one : SIZE.tile;
  const size = { width, height, ratio: RATIO };
  const columns = Math.ceil(Math.sqrt(parts.length));
  const found = [];
  for (const [n, { items, title, look }] of parts.entries()) {
    const lines = (await heavyLines(board, `file ${n}`, items, look, size)) ?? null;
    const drawn = pictureOf(board, items, look, size, { lines });
    if (!drawn) continue;
    const named: Picture = {
      width,
      height: TITLE,
      marks: [{ kind: 'text', x: 12, y: TITLE / 2 + 2, text: title, color: look.ink.text, anchor: 'start' }],
    };
    const head = items.length > 1 ? legendPicture(items, look, width) : named;
    const [left, top] = [(n % columns) * width, Math.floor(n / columns) * (height + TITLE)];
    const marks = [...drawn.marks, ...pathsOver(board, items, look, width, height)];
    found.push({ picture: head, left, top }, { picture: { ...drawn, marks }, left, top: top + head.height });
  }
  return found;
}
