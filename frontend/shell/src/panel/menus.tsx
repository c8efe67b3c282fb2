/** The menus of the run panel: what groups, colours and sorts the runs. */
import type { Run } from '@insight-host/api';
import { Popover } from '@insight-host/kit';
import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../state/page';
import { ColorOptions, words as colorWords } from '../coloring/view';
import type { Coloring } from '../coloring/coloring';
import { NAME_PART } from '../coloring/grouping';
import { type Choice, type Metrics, words } from './metrics';

const FIRST = [5, 10, 20] as const;
const MOST_COUNTED = 50; // columns whose values are counted
const SETTLE = 300; // ms without a key before runs are grouped by what is typed
const TITLES = { hyperparameter: 'group.hyperparameters', metric: 'group.metrics', other: 'group.others' } as const;

interface Props {
  readonly coloring: Coloring;
  readonly metrics: Metrics;
}

/** The menu that is open, next to its button. */
export function Menus({ coloring, metrics }: Props) {
  const page = usePage();
  const { value: menu } = page.menu;
  useEffect(() => {
    if (menu) page.columns.value?.columns.need();
  }, [menu, page.columns.value]);
  if (!menu) return null;
  return (
    <div class="kit ih-menu-place">
      <Popover
        key={`${menu.kind} ${metrics.areKnown}`} // again when columns come: the first one gets the focus
        anchor={{ current: menu.anchor }}
        class={`ih-panel-menu ih-${menu.kind}-menu`}
        role="dialog"
        label={page.t.value(`runs.${menu.kind}`)}
        side="below-left"
        onClose={() => {
          if (page.menu.peek() === menu) page.menu.value = null;
        }}
      >
        {metrics.areKnown ? (
          <>
            {menu.kind === 'group' && <GroupMenu metrics={metrics} />}
            {menu.kind === 'color' && <ColorMenu coloring={coloring} metrics={metrics} />}
            {menu.kind === 'sort' && <SortMenu metrics={metrics} />}
          </>
        ) : (
          <p class="ih-muted" role="status">
            {words(page, 'group.waiting')}
          </p>
        )}
      </Popover>
    </div>
  );
}

interface SectionsProps extends Pick<Props, 'metrics'> {
  readonly kinds: readonly Choice['kind'][];
  readonly row: (choice: Choice) => ComponentChildren;
}

/** Columns under the titles of their kinds; the last kind is folded. */
function Sections({ metrics, kinds, row }: SectionsProps) {
  const page = usePage();
  const all = metrics.choices.value;
  return (
    <>
      {kinds.map((kind) => {
        const own = all.filter((choice) => choice.kind === kind);
        if (own.length === 0) return null;
        const title = words(page, TITLES[kind]);
        if (kind !== 'other')
          return (
            <fieldset key={kind}>
              <legend>{title}</legend>
              {own.map(row)}
            </fieldset>
          );
        return (
          <details key={kind}>
            <summary>{title}</summary>
            {own.map(row)}
          </details>
        );
      })}
    </>
  );
}

function GroupMenu({ metrics }: Pick<Props, 'metrics'>) {
  const page = usePage();
  const { groupBy } = page.runs;
  const { value: by } = groupBy;
  const turn = (key: string): void => {
    const isOther = (one: string): boolean => one !== key && !(key === 'path' && one.startsWith(NAME_PART));
    groupBy.set(by.includes(key) ? by.filter((one) => one !== key) : [...by.filter(isOther), key]);
  };
  const part = by.find((key) => key.startsWith(NAME_PART))?.slice(NAME_PART.length) ?? '';
  const draft = useSignal(part);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const others = by.filter((key) => !key.startsWith(NAME_PART) && key !== 'path');
  const type = (text: string): void => {
    draft.value = text;
    clearTimeout(timer.current);
    if (problemOf(text) !== null) return;
    timer.current = setTimeout(() => groupBy.set(text ? [...others, NAME_PART + text] : others), SETTLE);
  };
  const problem = problemOf(draft.value);
  useEffect(() => {
    const keys = metrics.choices.value.filter(({ kind }) => kind === 'hyperparameter').map(({ key }) => key);
    const known = page.columnsOfOthers.peek();
    page.columnsOfOthers.value = [...new Set([...known, ...keys.slice(0, MOST_COUNTED)])];
  }, [metrics.choices.value]);
  const row = ({ key, title }: Pick<Choice, 'key' | 'title'>) => {
    const count = by.includes(key) ? null : metrics.countOf(key);
    return count !== null && count < 2 ? null : line(key, title, count);
  };
  const line = (
    key: string,
    title: string,
    count: number | null,
    { checked = by.includes(key), hint = key, press = (): void => turn(key) } = {},
  ) => (
    <label key={key}>
      <input type="checkbox" class="ih-checkbox" data-column={key} checked={checked} onChange={press} />
      <span title={hint}>{title}</span>
      {count !== null && <span class="ih-muted">{count.toLocaleString()}</span>}
    </label>
  );
  const repeats = metrics.repeats.value;
  const isRepeats = repeats?.keys.join() === by.join();
  return (
    <>
      {by.length > 0 && (
        <button type="button" class="ih-link" data-action="no-groups" onClick={() => groupBy.set([])}>
          {words(page, 'group.none')}
        </button>
      )}
      {repeats &&
        line('repeats', words(page, 'group.repeats', { seed: repeats.seed }), repeats.count, {
          checked: isRepeats,
          hint: repeats.keys.map((key) => metrics.titleOf(key)).join(', '),
          press: () => groupBy.set(isRepeats ? [] : repeats.keys),
        })}
      <Sections metrics={metrics} kinds={['hyperparameter']} row={row} />
      <fieldset>
        <legend>{words(page, 'group.name')}</legend>
        {row({ key: 'path', title: words(page, 'group.path') })}
        <input
          class="ih-input ih-mono"
          type="search"
          data-control="group"
          aria-label={words(page, 'group.name')}
          title={words(page, 'group.name.hint')}
          placeholder="(.*)_seed\d+"
          maxLength={200}
          aria-invalid={problem !== null}
          value={draft.value}
          onInput={({ currentTarget: { value } }) => type(value)}
        />
        {problem !== null && (
          <p class="ih-field-note" role="status">
            {words(page, 'group.invalid', { reason: problem })}
          </p>
        )}
      </fieldset>
      <Sections metrics={metrics} kinds={['other']} row={row} />
    </>
  );
}

/** Why a text is not a regular expression. */
function problemOf(text: string): string | null {
  try {
    new RegExp(text.replace(/\(\?P</g, '(?<'), 'u');
    return null;
  } catch (cause) {
    return String((cause as Error).message).replace(/^.*\/u: /, '');
  }
}

function ColorMenu({ coloring, metrics }: Props) {
  const page = usePage();
  const now = coloring.by.value.join(';');
  const row = ({ key, title }: Pick<Choice, 'key' | 'title'>) => (
    <label key={key}>
      <input
        type="radio"
        name="color-by"
        data-color={key}
        checked={now === key}
        onChange={() => coloring.colorBy(key ? key.split(';') : [])}
      />
      <span title={key}>{title}</span>
    </label>
  );
  const isGrouped = page.runs.groupBy.value.length > 0;
  return (
    <>
      {row({ key: '', title: words(page, isGrouped ? 'colour.group' : 'colour.run') })}
      {coloring.by.value.length > 1 &&
        row({ key: now, title: coloring.by.value.map((key) => metrics.titleOf(key)).join(', ') })}
      <Sections metrics={metrics} kinds={['hyperparameter', 'metric']} row={row} />
      {row({ key: 'path', title: colorWords(page, 'path') })}
      <Sections metrics={metrics} kinds={['other']} row={row} />
      <ColorOptions coloring={coloring} />
    </>
  );
}

function SortMenu({ metrics }: Pick<Props, 'metrics'>) {
  const page = usePage();
  const t = page.t.value;
  const { runs } = page;
  const { sort } = runs;
  const count = runs.rows.value.length;
  const base = (key: 'time' | 'name') => (
    <label key={key}>
      <input
        type="radio"
        name="sort-by"
        data-sort={key}
        checked={sort.value.find((one) => one !== 'selected') === key}
        onChange={() => sort.set([key])}
      />
      <span>{t(`runs.sort.${key}`)}</span>
    </label>
  );
  const row = (choice: Choice) => {
    const own = sort.value.find((one) => one.slice(1) === choice.key);
    return (
      <label key={choice.key}>
        <input
          type="radio"
          name="sort-by"
          data-sort={choice.key}
          checked={own !== undefined}
          onClick={() => metrics.sortBy(choice)}
        />
        <span title={choice.key}>{choice.title}</span>
        {own && <span aria-hidden="true">{own.startsWith('-') ? '↓' : '↑'}</span>}
      </label>
    );
  };
  return (
    <>
      {base('time')}
      {base('name')}
      <Sections metrics={metrics} kinds={['metric', 'hyperparameter', 'other']} row={row} />
      {page.aboutOne.value === null && <Selecting count={count} metrics={metrics} />}
    </>
  );
}

/** Which runs of the list are selected: the best ones, or by their places in it. */
function Selecting({ count, metrics }: Pick<Props, 'metrics'> & { readonly count: number }) {
  const page = usePage();
  const { runs } = page;
  const best = metrics.bestOf(runs);
  const counts = FIRST.filter((first) => first < count);
  const select = (chosen: readonly Run[]): void => runs.selectShown(chosen.map(({ name }) => name));
  const selectFirst = (first: number): void => select(runs.rows.value.slice(0, first));
  const numbers = (kind: 'best' | 'first', disabled: boolean, press: (first: number) => void) =>
    counts.map((first) => (
      <button
        key={first}
        type="button"
        class="ih-button ih-small"
        {...{ [`data-${kind}`]: first }}
        disabled={disabled}
        title={words(page, `sort.${kind}.hint`, { count: first, metric: best?.title ?? '' })}
        onClick={() => press(first)}
      >
        {first}
      </button>
    ));
  return (
    <>
      {counts.length > 0 && (
        <fieldset class="ih-select-first">
          <legend>{words(page, 'sort.select')}</legend>
          {best?.isRanked && (
            <p>
              <span title={best.key}>{words(page, 'sort.best', { metric: best.title })}</span>
              {numbers('best', false, (first) => metrics.selectBest(best, first))}
            </p>
          )}
          <p>
            <span>{words(page, 'sort.first')}</span>
            {numbers('first', metrics.isSorting.value, selectFirst)}
            <button type="button" class="ih-button ih-small" data-first="all" onClick={() => selectFirst(Infinity)}>
              {words(page, 'sort.all')}
            </button>
          </p>
        </fieldset>
      )}
      <button
        type="button"
        class="ih-link"
        data-action="invert"
        onClick={() => select(runs.rows.value.filter(({ name }) => !runs.selectedSet.value.has(name)))}
      >
        {words(page, 'sort.invert')}
      </button>
    </>
  );
}
