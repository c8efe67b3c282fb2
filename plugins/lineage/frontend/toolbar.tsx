import { Button, Choice, Cluster, Menu, Toggle, useTableView, ToolbarLine } from '@insight-host/kit';
import { Modes } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import type { LineageParts } from './board';
import { parallelTable } from './chart_tables';
import { VIEWS } from './columns';
import { exportItems } from './exports';
import { MOST_COMPARED } from './rows';

/** Opens the differences between the selected runs; null if they are too few or too many. */
export function diffOf(board: LineageParts): (() => void) | null {
  const { value: runs } = board.selection.ticked;
  return runs.length < 2 || runs.length > MOST_COMPARED ? null : () => board.diff.set(runs, 'push');
}

export function Toolbar({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const ticked = board.selection.ticked.value.length;
  const diff = diffOf(board);
  const table = useTableView(
    board.page,
    'lineage plot',
    say('plot.title'),
    () => parallelTable(board),
    () => import('@insight-host/kit/table'),
  );
  const first = (
    <>
      <Modes page={board.page} />
      <Parts board={board} />
    </>
  );
  const tools = (
    <>
      {board.columns.hasPipelines.value && (
        <Choice say={say} name="view" label={say('view')} values={VIEWS} setting={board.columns.view} how="push" />
      )}
      <Button
        action="filters"
        icon="bookmark"
        label={say('filters')}
        opens="dialog"
        onPress={() => (board.dialog.value = 'filters')}
      />
      <Button
        action="columns"
        icon="columns"
        text={say('columns.short')}
        label={say('columns.title')}
        onPress={() => (board.dialog.value = 'columns')}
      />
      <Cluster>
        <Button
          action="compare"
          text={say('compare.short', { count: ticked })}
          label={say('compare.hint', { count: ticked })}
          disabled={ticked === 0}
          onPress={() => board.selection.plot()}
        />
        <Button
          action="diff"
          icon="compare"
          text={say('diff.short')}
          label={
            diff ? say('diff.hint', { count: ticked }) : say('diff.choose', { most: MOST_COMPARED, count: ticked })
          }
          disabled={!diff}
          onPress={() => diff?.()}
        />
      </Cluster>
      <Menu
        action="export"
        icon="export"
        label={say('export.title')}
        items={() => [...(board.plot.value ? [table.item] : []), ...exportItems(board)]}
      />
    </>
  );
  return (
    <>
      <ToolbarLine say={say} first={first} tools={tools} />
      {table.dialog}
    </>
  );
}

/** What the tab shows next to its table. */
function Parts({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <Cluster>
      <Toggle action="plot" text={say('plot.short')} label={say('plot.hint')} setting={board.plot} />
      <Toggle action="analysis" text={say('analysis.short')} label={say('analysis.hint')} setting={board.analysis} />
    </Cluster>
  );
}
