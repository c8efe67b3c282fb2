/** Between plot and table: how many runs are shown and why not all, what to do with them, and what the colours mean. */
import { Button, Dialog, Menu, Toggle } from '@insight-host/kit';
import type { Column } from '@insight-host/kit/runs';
import type { JSX } from 'preact';
import type { LineageParts } from './board';
import { Comparing } from './table';

/** Between plot and table: how many runs are shown and why not all, and what to do with them. */
export function Status({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const total = board.frame.value?.rows ?? 0;
  const shown = board.rows.shown.value.length;
  const without = shown - board.drawn.value.reduce((sum, is) => sum + is, 0);
  const { value: broken } = board.broken;
  const ticked = board.selection.ticked.value.length;
  const hidden = board.rows.hidden.value.filter((run) => board.frame.value?.rowOf.has(run)).length;
  const problems = board.loading.listing.value?.problems.length ?? 0;
  return (
    <div class="status" data-testid="lineage-status">
      <span class="shown" data-testid="shown">
        {say('status.shown', { shown, count: total })}
      </span>
      <span class="count" data-testid="ticked">
        {say('status.selected', { count: ticked })}
      </span>
      {board.plot.value && without > 0 && (
        <span class="count" data-testid="not-drawn" title={say('parallel.without.hint')}>
          {say('parallel.without', { count: without })}
        </span>
      )}
      {board.plot.value && broken > 0 && (
        <span class="count" data-testid="broken" title={say('parallel.broken.hint')}>
          {say('parallel.broken', { count: broken })}
        </span>
      )}
      <Comparing board={board} />
      {board.brushing.all.value.size > 0 && (
        <Button
          action="clear-brushes"
          icon="close"
          text={say('brushes.count', { count: board.brushing.all.value.size })}
          label={say('brushes.clear')}
          onPress={() => board.brushing.clear()}
        />
      )}
      <Button
        action="select-only"
        text={say('select.short')}
        label={say('select.shown', { count: shown })}
        disabled={shown === 0 || (ticked === shown && board.page.runs.value.length === shown)}
        onPress={() => board.selection.selectShown()}
      />
      <Toggle
        action="rows-only"
        text={say('rows.only.short')}
        label={say('rows.only')}
        setting={board.rows.onlySelected}
      />
      <Menu
        action="rows"
        icon="open"
        label={say('rows.menu')}
        items={() => [
          { action: 'rows-hide', text: say('rows.hide'), onPress: () => board.selection.hide('selected') },
          { action: 'rows-hide-others', text: say('rows.hide.others'), onPress: () => board.selection.hide('others') },
          { action: 'rows-all', text: say('rows.all'), onPress: () => board.rows.showAll() },
        ]}
      />
      {hidden > 0 && (
        <Button
          action="show-hidden"
          icon="close"
          text={say('rows.hidden', { count: hidden })}
          label={say('rows.all')}
          onPress={() => board.rows.hidden.set([])}
        />
      )}
      {problems > 0 && (
        <Button
          action="problems"
          icon="warn"
          text={say('problems.count', { count: problems })}
          label={say('problems.title')}
          onPress={() => (board.dialog.value = 'problems')}
        />
      )}
      <Legend board={board} />
    </div>
  );
}

/** What the colours mean, when they follow numbers; of groups and texts the run panel is the legend. */
function Legend({ board }: { readonly board: LineageParts }): JSX.Element | null {
  const { bar } = board.coloring.value;
  if (!bar) return null;
  const { t: say } = board.page;
  const { column, low, high, stops, isDefault } = bar;
  return (
    <span
      class="legend"
      data-testid="color-legend"
      title={isDefault ? say('color.default.hint', { column: column.name }) : column.name}
    >
      <span class="entry">{isDefault ? say('color.default', { column: column.title }) : column.title}</span>
      <span>{short(column, low)}</span>
      <span class="ramp" style={{ background: `linear-gradient(90deg, ${stops.join(', ')})` }} />
      <span>{short(column, high)}</span>
    </span>
  );
}

/** A bound in few letters; moments are whole. */
const short = (column: Column, value: number): string =>
  column.numberText(column.name === 'start_time' ? value : Number(value.toPrecision(4)));

/** What of the logs could not be read, and why. */
export function Problems({ board }: { readonly board: LineageParts }): JSX.Element {
  return (
    <Dialog name="problems" title={board.page.t('problems.title')} onClose={() => (board.dialog.value = null)}>
      <dl class="problems">
        {(board.loading.listing.value?.problems ?? []).map((problem) => (
          <div key={`${problem.run}\n${problem.tag}`}>
            <dt>{[board.page.nameOf(problem.run), problem.tag].filter(Boolean).join(' · ')}</dt>
            <dd>{board.page.reason(problem)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
