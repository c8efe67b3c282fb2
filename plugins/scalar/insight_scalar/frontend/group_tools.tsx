import { useSignal } from '@preact/signals';
import { Button, Cluster, message, Popover, Select } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ScalarParts } from './board';
import { CENTRES, fitsCentre, SPREADS } from './grouping';

/** What groups runs, and what the bands of the groups are. */
export function GroupTools({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say } = board.page;
  const { draft, error, isOn } = board.grouping;
  const problem = error.value;
  const centre = board.centre.value;
  return (
    <Cluster>
      <span class="grouping">
        <input
          class={problem === null ? 'filter group' : 'filter group bad'}
          type="search"
          data-control="group"
          aria-label={say('group.label')}
          aria-invalid={problem !== null}
          {...(problem === null ? {} : { 'aria-describedby': 'group-problem' })}
          placeholder={say('group.label')}
          title={say('group.hint')}
          value={draft.value}
          onInput={(e) => board.grouping.type(e.currentTarget.value)}
        />
        {problem !== null && (
          <span id="group-problem" class="group-problem" role="status">
            {say('group.problem', { reason: problem })}
          </span>
        )}
      </span>
      <ByColumns board={board} />
      {isOn && (
        <>
          <Select
            name="centre"
            label={say('centre.label')}
            value={centre}
            options={CENTRES.map((value) => ({ value, text: say(`chart.${value}`) }))}
            onPick={(value) => board.centre.set(value)}
          />
          <Select
            name="spread"
            label={say('spread.label')}
            title={say(`spread.${board.shownSpread.value}.hint`)}
            value={board.shownSpread.value}
            options={SPREADS.map((value) => ({
              value,
              text: say(`spread.${value}`),
              title: say(`spread.${value}.hint`),
              disabled: !fitsCentre(value, centre),
            }))}
            onPick={(value) => board.spread.set(value)}
          />
        </>
      )}
    </Cluster>
  );
}

interface Column {
  readonly key: string;
  readonly title: string;
  readonly titles: Readonly<Record<string, string>>;
  readonly values: number;
}

/** A list of the columns of the run table, to group by any of them. */
function ByColumns({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say, locale } = board.page;
  const { picked } = board.grouping;
  const open = useSignal(false);
  const columns = useSignal<readonly Column[] | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open.value) return;
    const stop = new AbortController();
    board.page.ctx.data.json<{ columns: readonly Column[] }>('columns', {}, { signal: stop.signal }).then(
      (answer) => (columns.value = answer.columns),
      (error: unknown) => stop.signal.aborted || board.page.ctx.notify('error', message(error)),
    );
    return () => stop.abort();
  }, [open.value]);
  const titleOf = ({ title, titles }: Column): string => titles[locale.value] ?? title;
  const gone = picked.value.filter((key) => columns.value && !columns.value.some((column) => column.key === key));
  const listed = [...gone.map((key) => ({ key, title: key, titles: {}, values: 0 })), ...(columns.value ?? [])];
  return (
    <>
      <Button
        action="group-by"
        text={picked.value.length > 0 ? say('by.some', { count: picked.value.length }) : say('by.none')}
        label={say('by.hint')}
        pressed={picked.value.length > 0}
        expanded={open.value}
        element={button}
        onPress={() => (open.value = !open.value)}
      />
      {open.value && columns.value && (
        <Popover
          anchor={button}
          class="menu scalars-columns"
          role="menu"
          label={say('by.hint')}
          side="below-left"
          onClose={() => (open.value = false)}
        >
          {listed.map((column) => (
            <button
              key={column.key}
              type="button"
              role="menuitemcheckbox"
              aria-checked={picked.value.includes(column.key)}
              tabIndex={-1}
              data-column={column.key}
              onClick={() => board.grouping.pick(column.key)}
            >
              <span class="tick" aria-hidden="true">
                {picked.value.includes(column.key) ? '✓' : ''}
              </span>
              {titleOf(column)}
              <span class="values">{say('by.values', { count: column.values })}</span>
            </button>
          ))}
          {listed.length === 0 && (
            <button type="button" role="menuitem" tabIndex={-1} disabled>
              {say('by.empty')}
            </button>
          )}
        </Popover>
      )}
    </>
  );
}
