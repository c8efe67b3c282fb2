import { Button, Choice, Cluster, Menu, Select, Toggle, useDraft, useTableView } from '@insight-host/kit';
import type { JSX } from 'preact';
import { OWN_COLORS, type LineageParts } from './board';
import { parallelTable } from './chart_tables';
import { VIEWS } from './choices';
import { exportItems } from './exports';

export const WHERE = 'lineage-where';
const MOST_DIFFERENT = 30; // runs side by side

export function Toolbar({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const ticked = board.selection.ticked.value.length;
  const table = useTableView(
    board.page,
    'lineage plot',
    say('plot.title'),
    () => parallelTable(board),
    () => import('@insight-host/kit/table'),
  );
  return (
    <div class="toolbar" role="toolbar" aria-label={say('toolbar')}>
      <Choice say={say} name="view" label={say('view')} values={VIEWS} setting={board.columns.view} how="push" />
      <Cluster>
        <Where board={board} />
        <Button
          action="filters"
          icon="bookmark"
          label={say('filters')}
          opens="dialog"
          onPress={() => (board.dialog.value = 'filters')}
        />
      </Cluster>
      <Button
        action="columns"
        icon="columns"
        text={say('columns.short')}
        label={say('columns.title')}
        onPress={() => (board.dialog.value = 'columns')}
      />
      <ColumnChoice
        board={board}
        name="color"
        label={say('color')}
        none={say('color.run')}
        value={board.colorColumn.value}
        onPick={(name) => board.coloredBy.set(name ?? OWN_COLORS)}
      />
      <ColumnChoice
        board={board}
        name="group"
        label={say('group')}
        none={say('group.none')}
        value={board.rows.grouping.value}
        onPick={(name) => board.rows.grouping.set(name)}
      />
      <Cluster>
        <Toggle action="plot" text={say('plot.short')} label={say('plot.hint')} setting={board.plot} />
        <Toggle action="analysis" text={say('analysis.short')} label={say('analysis.hint')} setting={board.analysis} />
      </Cluster>
      <Cluster>
        <Button
          action="compare"
          icon="compare"
          text={say('compare.short')}
          label={say('compare.hint', { count: ticked })}
          disabled={ticked === 0}
          onPress={() => board.selection.compare()}
        />
        <Button
          action="diff"
          text={say('diff.short')}
          label={
            ticked > MOST_DIFFERENT ? say('diff.many', { count: MOST_DIFFERENT }) : say('diff.hint', { count: ticked })
          }
          disabled={ticked < 2 || ticked > MOST_DIFFERENT}
          onPress={() => (board.dialog.value = 'diff')}
        />
      </Cluster>
      <Menu
        action="export"
        icon="export"
        label={say('export.title')}
        items={() => [...(board.plot.value ? [table.item] : []), ...exportItems(board)]}
      />
      {table.dialog}
    </div>
  );
}

/** Runs of which an expression holds. */
function Where({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const draft = useDraft(board.where.text, 350);
  const { value: problem } = board.where.problem;
  return (
    <span class="where">
      <input
        type="search"
        class={problem ? 'filter bad' : 'filter'}
        data-control={WHERE}
        placeholder={say('where')}
        aria-label={say('where')}
        aria-invalid={problem !== null}
        title={say('where.hint')}
        spellcheck={false}
        value={draft.value}
        onInput={(event) => draft.set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      {problem && (
        <span class="problem" role="status" data-testid="where-problem">
          {problem}
        </span>
      )}
    </span>
  );
}

interface ColumnChoiceProps {
  readonly board: LineageParts;
  readonly name: string;
  readonly label: string;
  readonly none: string;
  readonly value: string | null;
  readonly onPick: (name: string | null) => void;
}

/** A column of the table or an axis, or none. */
function ColumnChoice({ board, name, label, none, value, onPick }: ColumnChoiceProps): JSX.Element {
  const columns = new Set([
    ...board.columns.shown.value,
    ...board.columns.axisNames.value,
    ...(value === null ? [] : [value]),
  ]);
  const own = (column: string): string =>
    board.columns.all.value.get(column)?.group === 'annotation'
      ? board.page.t(`column.${column}`)
      : (board.columns.all.value.get(column)?.title ?? column);
  return (
    <label class="choice-of">
      <span>{label}</span>
      <Select
        name={name}
        label={label}
        value={value ?? ''}
        options={[
          { value: '', text: none },
          ...[...columns]
            .filter((column) => !['note', 'display_name'].includes(column))
            .map((column) => ({ value: column, text: own(column) })),
        ]}
        onPick={(picked) => onPick(picked || null)}
      />
    </label>
  );
}
