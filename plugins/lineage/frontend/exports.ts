/** Files of what is shown: the table as CSV, the plot as a picture. */
import { canvasFile, copyTable, csvOf, message, type CsvCell, type MenuItem, visibleText } from '@insight-host/kit';
import type { Column, Value } from '@insight-host/kit/runs';
import type { LineageParts } from './board';
import { stopsOf, layoutOf, yOf } from './geometry';
import { ALONE, opacityOf, scattered, strokeRows } from './polylines';

const SIZE = { width: 1400, height: 420 };
const SCALE = 2; // of a PNG
const MARGIN = 12;
const LETTERS = 22;

export function exportItems(board: LineageParts): readonly MenuItem[] {
  const { t: say } = board.page;
  const save = (extension: string, make: () => Blob | Promise<Blob>): void => {
    Promise.resolve()
      .then(make)
      .then((content) => board.page.ctx.ui.download(`lineage.${extension}`, content))
      .catch((error: unknown) => board.page.ctx.notify('error', say('export.failed', { reason: message(error) })));
  };
  return [
    {
      action: 'export-copy',
      text: say('export.copy'),
      onPress: () => void copyTable(board.page, rowsOf(board)),
    },
    {
      action: 'export-csv',
      text: say('export.csv'),
      onPress: () => save('csv', () => new Blob([csvOf(rowsOf(board))], { type: 'text/csv' })),
    },
    {
      action: 'export-json',
      text: say('export.json'),
      onPress: () => save('json', () => new Blob([jsonOf(board)], { type: 'application/json' })),
    },
    {
      action: 'export-svg',
      text: say('export.svg'),
      onPress: () => save('svg', () => new Blob([svgOf(board)], { type: 'image/svg+xml' })),
    },
    { action: 'export-png', text: say('export.png'), onPress: () => save('png', () => pngOf(board)) },
  ];
}

/**
 * Columns and rows, by default those of the table, in their order; numbers with all their digits, nothing for what is
 * missing.
 */
export function rowsOf(
  board: LineageParts,
  columns: readonly Column[] = board.columns.table.value,
  rows: Int32Array = board.rows.shown.value,
): CsvCell[][] {
  const { value: frame } = board.frame;
  const cell = (value: Value): CsvCell => (value !== null && typeof value === 'object' ? JSON.stringify(value) : value);
  return [
    ['run', ...columns.map(({ name }) => name)],
    ...Array.from(rows, (row) => [frame?.runs[row] ?? '', ...columns.map(({ values }) => cell(values[row] ?? null))]),
  ];
}

/** The same as a list of objects; nothing for what is missing. */
export function jsonOf(board: LineageParts): string {
  const { value: frame } = board.frame;
  const entries = (row: number): [string, Value][] =>
    board.columns.table.value.flatMap(({ name, values }): [string, Value][] =>
      values[row] == null ? [] : [[name, values[row]]],
    );
  return JSON.stringify(
    Array.from(board.rows.shown.value, (row) => Object.fromEntries([['run', frame?.runs[row] ?? ''], ...entries(row)])),
    null,
    1,
  );
}

interface Label {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly anchor: 'middle' | 'end';
  readonly color: string;
}

interface Plan {
  readonly background: string;
  readonly spine: string;
  readonly spines: readonly { readonly x: number; readonly top: number; readonly bottom: number }[];
  readonly labels: readonly Label[];
  readonly picture: Parameters<typeof strokeRows>[1];
}

const short = (text: string): string =>
  [...text].length > LETTERS ? `${[...text].slice(0, LETTERS - 1).join('')}…` : text;

/** Lines, axes and their names, of what is shown now. */
function planOf(board: LineageParts): Plan {
  const { value: axes } = board.columns.axes;
  const { value: coloring } = board.coloring;
  const layout = layoutOf(SIZE.width, SIZE.height, axes);
  const rows = scattered(board.drawn.value);
  const theme = board.page.theme.value;
  const [text, muted] = [theme.token('--text') || 'black', theme.token('--muted') || 'gray'];
  const labels = axes.flatMap((axis, at): Label[] => {
    const x = layout.xs[at] as number;
    return [
      {
        x,
        y: 16,
        text: short(board.columns.axisHeads.value.get(axis.column.name)?.text ?? axis.column.title),
        anchor: 'middle',
        color: text,
      },
      ...axis.ticks.slice(0, 40).map((tick): Label => ({
        x: x - 6,
        y: yOf(layout, tick.place) + 4,
        text: short(tick.text),
        anchor: 'end',
        color: muted,
      })),
    ];
  });
  return {
    background: theme.token('--surface') || 'white',
    spine: muted,
    spines: layout.xs.map((x) => ({ x, top: layout.top, bottom: layout.bottom })),
    labels,
    picture: {
      ...SIZE,
      ...stopsOf(layout, axes, coloring.codes),
      rows,
      palette: coloring.palette,
      dashes: coloring.dashes,
      codes: coloring.codes,
      opacity: opacityOf(rows.length),
      lineWidth: rows.length <= 60 ? 1.6 : 1,
    },
  };
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function svgOf(board: LineageParts): string {
  const { background, spine, spines, labels, picture } = planOf(board);
  const { xs, heights, rows, palette, dashes, codes } = picture;
  const byColor = palette.map((): string[] => []);
  for (const row of rows) {
    const points = xs.map(
      (x, axis) => `${x.toFixed(1)} ${((heights[axis] as Float32Array)[row] as number).toFixed(1)}`,
    );
    byColor[codes[row] as number]?.push(`M${points.join('L')}${xs.at(-1) === xs[0] ? `h${ALONE}` : ''}`);
  }
  const dashOf = (code: number): string =>
    dashes?.[code]?.length ? ` stroke-dasharray="${dashes[code].join(' ')}"` : '';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width + 2 * MARGIN}" ` +
      `height="${SIZE.height + 2 * MARGIN}" ` +
      `viewBox="${-MARGIN} ${-MARGIN} ${SIZE.width + 2 * MARGIN} ${SIZE.height + 2 * MARGIN}" ` +
      `font-family="sans-serif" font-size="11">`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="100%" height="100%" fill="${background}"/>`,
    `<g fill="none" stroke-width="${picture.lineWidth}" stroke-opacity="${picture.opacity.toFixed(3)}">`,
    ...byColor.flatMap((paths, code) =>
      paths.length > 0
        ? [`<path stroke="${escaped(palette[code] as string)}"${dashOf(code)} d="${paths.join('')}"/>`]
        : [],
    ),
    '</g>',
    ...spines.map(({ x, top, bottom }) => `<path stroke="${spine}" d="M${x.toFixed(1)} ${top}V${bottom}"/>`),
    ...labels.map(
      ({ x, y, text, anchor, color }) =>
        `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${color}">${escaped(text)}</text>`,
    ),
    '</svg>',
  ].join('\n');
}

async function pngOf(board: LineageParts): Promise<Blob> {
  const { background, spine, spines, labels, picture } = planOf(board);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [(SIZE.width + 2 * MARGIN) * SCALE, (SIZE.height + 2 * MARGIN) * SCALE];
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  context.fillStyle = background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(SCALE, 0, 0, SCALE, MARGIN * SCALE, MARGIN * SCALE);
  strokeRows(context, picture, 0, picture.rows.length);
  context.globalAlpha = 1;
  context.lineWidth = 1;
  context.strokeStyle = spine;
  for (const { x, top, bottom } of spines) {
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
  }
  context.font = '11px sans-serif';
  for (const { x, y, text, anchor, color } of labels) {
    context.fillStyle = color;
    context.textAlign = anchor === 'end' ? 'right' : 'center';
    context.fillText(visibleText(text), x, y);
  }
  return canvasFile(canvas);
}
