import type { JSX } from 'preact';
import type { LineageBoard } from './board';
import type { Column } from './frame';

const MOST = 14;

export interface RowTipProps {
  readonly board: LineageBoard;
  readonly row: number;
  readonly columns: readonly Column[];
  /** Of the pointer, in the window. */
  readonly x: number;
  readonly y: number;
}

/** What is known of the row under the pointer. */
export function RowTip({ board, row, columns, x, y }: RowTipProps): JSX.Element | null {
  const run = board.frame.value?.runs[row];
  if (run === undefined) return null;
  const { palette, codes } = board.coloring.value;
  const [right, low] = [x > innerWidth / 2, y > innerHeight / 2];
  const place = `translate(${x + (right ? -14 : 14)}px, ${y + (low ? -10 : 14)}px) translate(${right ? '-100%' : '0'}, ${low ? '-100%' : '0'})`;
  return (
    <div class="tooltip" data-testid="row-tip" style={{ transform: place }}>
      <p class="run">
        <span class="dot" style={{ background: palette[codes[row] ?? 0] }} />
        {board.nameOf(run)}
      </p>
      <table>
        <tbody>
          {columns.slice(0, MOST).map((column) => (
            <tr key={column.name}>
              <th>{column.title}</th>
              <td>{column.isMissing(row) ? '—' : column.text(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
