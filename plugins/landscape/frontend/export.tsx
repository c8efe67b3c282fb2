import { canvasFile, fileName, Menu, message, useTableView, type Page } from '@insight-host/kit';
import type { ChartData } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import type { LandscapeParts } from './board';
import { textWidth, toCanvas, toSVG, type Mark, type Picture } from './marks';
import { heavyLines, pathsOver, pictureOf } from './picture';
import { circle, type Item, type Look } from './plan';
import { frontFirst } from './plan_lines';
import { css, rampColor } from './ramps';

interface Part {
  readonly items: readonly Item[];
  readonly title: string;
  readonly look: Look;
}

interface ExportProps {
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

const LINE = 18; // pixels
const LEFT = 12;
const SIGN = 16; // pixels of a dot and what is next to it
const SWATCHES = 4; // of the colour map
const GAP = 14;

/** Above a picture in a file: which run has which colour, the one with the colour map first. */
export function legendPicture(items: readonly Item[], look: Look, width: number): Picture {
  const marks: Mark[] = [];
  let [left, top] = [LEFT, 4];
  for (const { run, name, color } of frontFirst(items, look.front)) {
    const room = SIGN + textWidth(name) + GAP;
    if (left > LEFT && left + room > width) [left, top] = [LEFT, top + LINE];
    const middle = top + LINE / 2;
    if (run === look.front)
      for (let n = 0; n < SWATCHES; n++)
        marks.push({
          kind: 'path',
          d: `M${left + 3 * n},${middle - 4}h3v8h-3Z`,
          fill: css(rampColor(look.ramp, n / (SWATCHES - 1))),
        });
    else marks.push({ kind: 'path', d: circle(left + 6, middle, 4), fill: color });
    marks.push({ kind: 'text', x: left + SIGN, y: middle, text: name, color: look.ink.text, anchor: 'start' });
    left += room;
  }
  return { width, height: top + LINE + 2, marks };
}

type Words = Pick<Page, 't'>;
type Rows = ChartData['rows'];

/** Of each point of the grid: the run if there are several, both coordinates and the loss. */
export function gridTable(page: Words, items: readonly Item[]): ChartData {
  return ofRuns(page, items, ['x', 'y', page.t('loss')], ({ landscape: { x, y, z } }) =>
    Array.from(z, (loss, at) => [x[at % x.length] as number, y[Math.floor(at / x.length)] as number, loss]),
  );
}

/** Of each point of the path of training: the run if there are several, the epoch or step, coordinates and loss. */
export function pathTable(page: Words, items: readonly Item[]): ChartData {
  const unit = items[0]?.landscape.about.unit === 'step' ? 'step' : 'epoch';
  return ofRuns(page, items, [page.t(`unit.${unit}`), 'x', 'y', page.t('loss')], ({ landscape: { path } }) =>
    path ? Array.from(path.at, (at, i) => [at, path.x[i] as number, path.y[i] as number, path.z[i] as number]) : [],
  );
}

function ofRuns(page: Words, items: readonly Item[], head: readonly string[], rowsOf: (item: Item) => Rows): ChartData {
  const [only] = items;
  if (only && items.length === 1) return { head, rows: rowsOf(only) };
  return {
    head: [page.t('run'), ...head],
    rows: items.flatMap((item) => rowsOf(item).map((row) => [item.name, ...row])),
  };
}
