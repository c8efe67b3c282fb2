import { Tooltip } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { Column } from '@insight-host/kit/runs';
import type { LineageParts } from './board';

const MOST = 14;

interface RowTipProps {
  readonly board: LineageParts;
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
  return (
    <Tooltip name="row-tip" x={x} y={y}>
      <p class="run">
        <span class="dot" style={{ background: palette[codes[row] ?? 0] }} />
        {board.page.nameOf(run)}
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
    </Tooltip>
  );
}
