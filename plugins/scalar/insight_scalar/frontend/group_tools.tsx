import { useSignal } from '@preact/signals';
import { message, Select } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ScalarParts } from './board';
import { CENTRES, fitsCentre, SPREADS } from './grouping';
import { PopoverButton } from './popover_button';

/** A button for what groups runs, and for what the bands of the groups are. */
export function GroupTools({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say } = board.page;
  const { picked, active, error, isOn } = board.grouping;
  const count = picked.value.length;
  const text = active.value ? 'group.some' : count > 0 ? 'by.some' : 'group.none';
  return (
    <PopoverButton
      action="group-by"
      text={error.value === null ? say(text, { count }) : `⚠ ${say(text, { count })}`}
      label={error.value === null ? say('group.hint') : say('group.problem', { reason: error.value })}
      pressed={isOn}
      class="grouping"
      title={say('group.label')}
    >
      <Expression board={board} />
      <Columns board={board} />
      <Bands board={board} />
    </PopoverButton>
  );
}

function Expression({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say } = board.page;
  const problem = board.grouping.error.value;
  return (
    <>
      <label>
        {say('group.by_name')}
        <input
          class={problem === null ? 'filter' : 'filter bad'}
          type="search"
          data-control="group"
          aria-invalid={problem !== null}
          aria-describedby="group-problem"
          placeholder="(.*)_seed\d+"
          value={board.grouping.draft.value}
          onInput={(e) => board.grouping.type(e.currentTarget.value)}
        />
      </label>
      <p id="group-problem" class={problem === null ? 'hint' : 'problem'} role="status">
        {problem === null ? say('group.by_name.hint') : say('group.problem', { reason: problem })}
      </p>
    </>
  );
}

/** What the line and the band of a group are. */
function Bands({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say } = board.page;
  const centre = board.centre.value;
  return (
    <div class="bands">
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
    </div>
  );
}

interface Column {
  readonly key: string;
  readonly title: string;
  readonly titles: Readonly<Record<string, string>>;
  readonly values: number;
}

/** The columns of the run table that tell runs apart, to group by any of them; those with fewest values, first. */
function Columns({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say, locale } = board.page;
  const { picked } = board.grouping;
  const columns = useSignal<readonly Column[] | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    board.page.ctx.data.json<{ columns: readonly Column[] }>('columns', {}, { signal: stop.signal }).then(
      (answer) => (columns.value = answer.columns),
      (error: unknown) => stop.signal.aborted || board.page.ctx.notify('error', message(error)),
    );
    return () => stop.abort();
  }, []);
  const listed = listedOf(columns.value ?? [], picked.value);
  return (
    <fieldset aria-busy={columns.value === null}>
      <legend>{say('by.label')}</legend>
      <div class="columns">
        {listed.map((column) => (
          <label key={column.key}>
            <input
              type="checkbox"
              data-column={column.key}
              checked={picked.value.includes(column.key)}
              onChange={() => board.grouping.pick(column.key)}
            />
            <span class="title" title={column.title}>
              {column.titles[locale.value] ?? column.title}
            </span>
            <span class="values">{say('by.values', { count: column.values })}</span>
          </label>
        ))}
        {columns.value && listed.length === 0 && <p class="hint">{say('by.empty')}</p>}
      </div>
    </fieldset>
  );
}

/** Picked columns, those that are gone too, and all others with several values. */
function listedOf(columns: readonly Column[], picked: readonly string[]): readonly Column[] {
  const known = new Set(columns.map(({ key }) => key));
  const gone = picked.filter((key) => !known.has(key)).map((key) => ({ key, title: key, titles: {}, values: 0 }));
  const useful = columns.filter(({ key, values }) => values > 1 || picked.includes(key));
  return [...gone, ...useful.toSorted((a, b) => a.values - b.values)];
}
