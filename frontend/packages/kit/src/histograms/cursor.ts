import { arrowOf } from '@insight-host/kit';
import type { HistogramCursor } from './props';
import { lineOf } from './drawing';
import { baseOf, binOf, type Figure } from './figure';
import { columnsOf } from './heatmap';

/** The bin of a row nearest to a screen position; null if none. */
export function cursorAt(figure: Figure, px: number, py: number): HistogramCursor | null {
  const { props, plot } = figure;
  if (props.rows.length === 0) return null;
  if (px < plot.left - 2 || px > plot.left + plot.width + 2 || py < plot.top - 2 || py > plot.top + plot.height + 2)
    return null;
  const found =
    props.view === 'front'
      ? inFront(figure, px, py)
      : props.view === 'top'
        ? fromAbove(figure, px, py)
        : overRows(figure, px, py);
  return found && { row: found[0], bin: found[1], px, py };
}

type Found = readonly [row: number, bin: number] | null;

function inFront(figure: Figure, px: number, py: number): Found {
  const bin = binOf(figure, figure.values.toValue(px));
  if (bin < 0) return null;
  let best: Found = null;
  let least = Infinity;
  figure.props.rows.forEach((row, i) => {
    const away = Math.abs(figure.counts.toPixel(row.counts[bin] as number) - py);
    if (away <= least) [least, best] = [away, [i, bin]]; // of equal ones the last, which lies above
  });
  return best;
}

/** The ridge that is seen at this place; on bare ground, the one whose line is nearest. */
function fromAbove(figure: Figure, px: number, py: number): Found {
  const { props, values, counts } = figure;
  let seen: Found = null;
  let seenAt = -Infinity;
  let nearest: Found = null;
  let least = Infinity;
  props.rows.forEach((row, i) => {
    const [shift, base] = baseOf(figure, row.at);
    const bin = binOf(figure, values.toValue(px - shift));
    if (bin < 0) return;
    const line = base - counts.toPixel(row.counts[bin] as number);
    if (py >= line - 1 && py <= base + 1 && row.at >= seenAt) [seenAt, seen] = [row.at, [i, bin]];
    const away = Math.min(Math.abs(line - py), Math.abs(base - py));
    if (away <= least) [least, nearest] = [away, [i, bin]];
  });
  return seen ?? nearest;
}

function overRows(figure: Figure, px: number, py: number): Found {
  const { props, rows, values } = figure;
  const { edges } = props;
  const value = Math.max(edges[0] as number, Math.min(edges[edges.length - 1] as number, values.toValue(py)));
  const bin = binOf(figure, value);
  if (props.view === 'heatmap') {
    const column = columnsOf(figure).find(({ from, to }) => px >= from - 0.5 && px <= to + 0.5);
    return column && column.row >= 0 ? [column.row, bin] : null;
  }
  let best: Found = null;
  let least = Infinity;
  props.rows.forEach((row, i) => {
    const away = Math.abs(rows.toPixel(row.at) - px);
    if (away <= least) [least, best] = [away, [i, bin]];
  });
  return best;
}

/** Where the mark of a bin is drawn: on the line of its row, or in the middle of its cell. */
export function placeOf(figure: Figure, row: number, bin: number): readonly [x: number, y: number] {
  const { props, values, counts, rows } = figure;
  const { edges } = props;
  const found = props.rows[row];
  const middle = (values.toPixel(edges[bin] as number) + values.toPixel(edges[bin + 1] as number)) / 2;
  if (!found) return [NaN, NaN];
  const height = counts.toPixel(found.counts[bin] as number);
  if (props.view === 'front') return [middle, height];
  if (props.view !== 'top') return [rows.toPixel(found.at), middle];
  const [shift, base] = baseOf(figure, found.at);
  return [middle + shift, base - height];
}

/**
 * What an arrow key, Home or End does to a cursor: bins along the axis of values, rows along the other. null for other
 * keys.
 */
export function cursorAfter(figure: Figure, key: string, from: HistogramCursor | null): HistogramCursor | null {
  const { props } = figure;
  const [lastRow, lastBin] = [props.rows.length - 1, props.edges.length - 2];
  const way = arrowOf(key);
  if (lastRow < 0 || (!way && key !== 'Home' && key !== 'End')) return null;
  const across = props.view === 'front' || props.view === 'top';
  const limited = (value: number, most: number): number => Math.max(0, Math.min(most, value));
  let [row, bin] = [from?.row ?? lastRow, from?.bin ?? fullest(figure, lastRow)];
  if (key === 'Home' || key === 'End') row = key === 'Home' ? 0 : lastRow;
  else if (way && from) {
    // Upwards is back in time where earlier rows lie behind, and to larger values where these go up.
    bin = limited(bin + (across ? way[0] : way[1]), lastBin);
    row = limited(row + (across ? -way[1] : way[0]), lastRow);
  }
  const [px, py] = placeOf(figure, row, bin);
  return { row, bin, px, py };
}

function fullest({ props }: Figure, row: number): number {
  const counts = props.rows[row]?.counts ?? [];
  let best = 0;
  for (let i = 1; i < counts.length; i++) if ((counts[i] as number) > (counts[best] as number)) best = i;
  return best;
}

/** The line of a row for the overlay. */
export function highlightOf(figure: Figure, row: number): Float64Array | null {
  const found = figure.props.rows[row];
  return found && (figure.props.view === 'front' || figure.props.view === 'top') ? lineOf(figure, found) : null;
}
