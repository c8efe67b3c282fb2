/** Files of what is shown: the table as CSV, the plot as a picture. */
import { canvasFile, copyTable, csvOf, message, type CsvCell, type MenuItem } from '@insight-host/kit';
import { CanvasPainter, palette, SvgPainter, type Painter, type Palette, type Polylines } from '@insight-host/kit/draw';
import type { Column, Value } from '@insight-host/kit/runs';
import type { LineageParts } from './board';
import { layoutOf, piecesOf, stopsOf, yOf, type Stops } from './parallel/geometry';
import { opacityOf, scattered, widthOf } from './parallel/polylines';

const [WIDTH, HEIGHT] = [1424, 444]; // pixels
const SCALE = 2; // of a PNG
const MARGIN = 12;
const LETTERS = 22;
const MOST_TICKS = 40; // of an axis

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

/** Lines, axes and their names, of what is shown now. */
function drawPlot(board: LineageParts, painter: Painter, colors: Palette): void {
  const { value: axes } = board.columns.axes;
  const { palette: hues, dashes, codes } = board.coloring.value;
  const layout = layoutOf(WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN, axes);
  const stops = stopsOf(layout, axes, codes);
  const rows = scattered(board.drawn.value);
  const look = { width: widthOf(rows.length), alpha: Number(opacityOf(rows.length).toFixed(3)) };
  const byColor = hues.map((): number[] => []);
  for (const row of rows) byColor[codes[row] as number]?.push(row);
  byColor.forEach((own, code) => {
    const stroke = { ...look, color: hues[code] as string, dash: dashes[code] ?? [] };
    if (own.length > 0) painter.polylines(polylinesOf(stops, own), stroke);
  });
  axes.forEach((axis, at) => {
    const x = MARGIN + (layout.xs[at] as number);
    const room = x - MARGIN - (layout.xs[at - 1] ?? 0);
    painter.segment(x, MARGIN + layout.top, x, MARGIN + layout.bottom, { color: colors.faint, width: 1 });
    const title = board.columns.axisHeads.value.get(axis.column.name)?.text ?? axis.column.title;
    painter.text(x, MARGIN + 12, short(title), { color: colors.text, align: 'center' });
    for (const { place, text } of axis.ticks.slice(0, MOST_TICKS))
      painter.text(x - 6, MARGIN + yOf(layout, place), short(text), {
        color: colors.faint,
        align: 'right',
        maxWidth: room - 10,
      });
  });
}

const short = (text: string): string =>
  [...text].length > LETTERS ? `${[...text].slice(0, LETTERS - 1).join('')}…` : text;

/** The lines of these rows. */
function polylinesOf(stops: Stops, rows: readonly number[]): Polylines {
  const pieces = rows.flatMap((row) => piecesOf(stops, row));
  const points = Float64Array.from(pieces.flat(), (value) => MARGIN + value);
  let end = 0;
  const starts = pieces.map((piece) => {
    const start = end;
    end += piece.length / 2;
    return start;
  });
  return { points, starts, end };
}

function svgOf(board: LineageParts): string {
  const colors = palette(board.page.theme.value);
  const title = board.page.t('plot.title');
  const painter = new SvgPainter(WIDTH, HEIGHT, title, title);
  painter.rectangle(0, 0, WIDTH, HEIGHT, colors.surface);
  drawPlot(board, painter, colors);
  return painter.toString();
}

function pngOf(board: LineageParts): Promise<Blob> {
  const colors = palette(board.page.theme.value);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [WIDTH * SCALE, HEIGHT * SCALE];
  const painter = CanvasPainter.of(canvas, SCALE);
  painter.begin(WIDTH, HEIGHT, colors.surface);
  drawPlot(board, painter, colors);
  return canvasFile(canvas);
}
