import type { JSX } from 'preact';
import type { LineageBoard } from './board';
import { RUN_WIDTH, type Placed } from './columns';
import { sortOf } from './ordering';

/** Column headers: a click sorts; with Shift the column is added to the current order. */
export function TableHead({ board, columns }: { readonly board: LineageBoard; readonly columns: readonly Placed[] }): JSX.Element {
  const say = board.t.bind(board);
  return (
    <div class="line head" role="row" aria-rowindex={1}>
      <div class="run-cell" role="columnheader">
        <SelectShown board={board} />
        <SortButton board={board} name="run" title={say('column.run')} />
      </div>
      {columns.map(({ column, left, width }) => (
        <div key={column.name} class={column.isNumeric ? 'cell number' : 'cell'} role="columnheader" data-column={column.name} aria-sort={ariaSort(board, column.name)} style={{ left: `${RUN_WIDTH + left}px`, width: `${width}px` }}>
          <SortButton board={board} name={column.name} title={column.group === 'annotation' ? say(`column.${column.name}`) : column.title} />
        </div>
      ))}
    </div>
  );
}

function ariaSort(board: LineageBoard, name: string): 'ascending' | 'descending' | 'none' {
  const sort = board.sorts.value.map(sortOf).find((one) => one.name === name);
  return sort ? (sort.down ? 'descending' : 'ascending') : 'none';
}

function SortButton({ board, name, title }: { readonly board: LineageBoard; readonly name: string; readonly title: string }): JSX.Element {
  const sort = ariaSort(board, name);
  return (
    <button type="button" tabIndex={-1} class="sort" data-action="sort" title={`${name}\n${board.t('sort.hint')}`} onClick={(event) => board.turnSort(name, event.shiftKey)}>
      <span class="name">{title}</span>
      {sort !== 'none' && <span class="arrow">{sort === 'ascending' ? '▲' : '▼'}</span>}
    </button>
  );
}

function SelectShown({ board }: { readonly board: LineageBoard }): JSX.Element {
  const [shown, ticked] = [board.rows.value.length, board.ticked.value.length];
  const all = shown > 0 && ticked === shown;
  return (
    <input
      type="checkbox"
      tabIndex={-1}
      data-action="select-shown"
      checked={all}
      ref={(box: HTMLInputElement | null) => void (box && (box.indeterminate = ticked > 0 && !all))}
      aria-label={board.t('select.shown', { count: shown })}
      title={board.t('select.shown', { count: shown })}
      onChange={() => {
        if (all) board.ctx.runs.select([]);
        else board.selectShown();
      }}
    />
  );
}
