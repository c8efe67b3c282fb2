import { message } from '@insight-host/kit';
import type { Query } from '@insight-host/api';
import type { Area } from '@insight-host/kit/table';
import type { Sheet } from './blocks';
import type { TensorParts } from './board';
import { exactText } from './numbers';
import { valuesOf } from './use_values';

/** Puts the values of an area on the clipboard as tab-separated lines, in full, and says how many. */
export async function copyArea(board: TensorParts, query: Query, sheet: Sheet, area: Area): Promise<void> {
  const { t: say } = board.page;
  const number = (n: number): string => n.toLocaleString(board.page.locale.value);
  let given: { readonly text: string; readonly count: number; readonly bounded: boolean };
  try {
    const { block, bounded, cut } = await valuesOf(board, query, area);
    const { row, rowEnd, column, columnEnd } = block.area;
    const lines: string[] = [];
    for (let r = row; r < rowEnd; r++) {
      const cells: string[] = [];
      for (let c = column; c < columnEnd; c++)
        cells.push(exactText(block.at(r, c), sheet.kind, block.single).replace(/[\t\r\n]+/g, ' '));
      lines.push(cells.join('\t'));
    }
    given = { text: lines.join('\n'), count: (rowEnd - row) * (columnEnd - column), bounded: bounded || cut > 0 };
  } catch (error) {
    board.page.ctx.notify('error', message(error));
    return;
  }
  try {
    await navigator.clipboard.writeText(given.text);
  } catch {
    board.page.ctx.notify('error', say('copy_failed'));
    return;
  }
  const all = (area.rowEnd - area.row) * (area.columnEnd - area.column);
  if (given.bounded)
    board.page.ctx.notify('warn', say('copied.some', { values: number(given.count), all: number(all) }));
  else board.page.ctx.notify('info', say('copied.values', { count: given.count, values: number(given.count) }));
}
