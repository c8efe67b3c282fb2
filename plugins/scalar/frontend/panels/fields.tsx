/** What the dialog asks for a panel, by its kind. */
import type { Locale } from '@insight-host/api';
import { byName, Select } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ScalarParts } from '../board';
import { chosenTags, matcher, metricOf, SUMMARIES, textOf, type Metric } from './choice';
import { MOST_TAGS, type Draft } from './panels';

export interface FieldsProps {
  readonly board: ScalarParts;
  readonly draft: Draft;
  readonly change: (more: Partial<Draft>) => void;
}

const MOST = 200; // tags listed at once; the search finds the others

/** Tags to pick, a regular expression next to them, and what both together choose. */
export function TagFields({ board, draft, change }: FieldsProps): JSX.Element {
  const { t: say } = board.page;
  const search = useSignal('');
  const { tags = [], regex = '' } = draft;
  const known = [...board.tags.runsByTag.value.keys()];
  const wanted = search.value.toLowerCase();
  const found = known.filter((tag) => board.page.titleOf(tag).toLowerCase().includes(wanted)).sort(byName);
  const chosen = chosenTags(draft, known);
  const { error } = matcher(regex);
  const preview = chosen.slice(0, MOST_TAGS).map((tag) => board.page.titleOf(tag));
  const toggle = (tag: string): void =>
    change({ tags: tags.includes(tag) ? tags.filter((other) => other !== tag) : [...tags, tag] });
  return (
    <>
      <input
        type="search"
        name="tag-search"
        autofocus
        aria-label={say('pair.filter')}
        placeholder={say('pair.filter')}
        value={search.value}
        onInput={(e) => (search.value = e.currentTarget.value)}
      />
      <ul class="choices tags" aria-label={say('panel.tags')}>
        {found.slice(0, MOST).map((tag) => (
          <li key={tag}>
            <label>
              <input type="checkbox" name="tag" value={tag} checked={tags.includes(tag)} onChange={() => toggle(tag)} />
              <span>{board.page.titleOf(tag)}</span>
            </label>
          </li>
        ))}
      </ul>
      {found.length > MOST && <p class="hint">{say('more', { count: found.length - MOST })}</p>}
      <input
        name="regex"
        class={error === null ? 'expression' : 'expression bad'}
        autocomplete="off"
        spellcheck={false}
        aria-label={say('panel.regex')}
        aria-describedby="panel-preview"
        aria-invalid={error !== null}
        placeholder={say('panel.regex')}
        value={regex}
        onInput={(e) => change({ regex: e.currentTarget.value })}
      />
      <p
        class={error === null ? 'hint preview' : 'problem preview'}
        id="panel-preview"
        role="status"
        title={preview.join('\n')}
      >
        {error === null
          ? say(chosen.length > 0 ? 'panel.preview.names' : 'panel.preview', {
              count: chosen.length,
              names: preview.join(say('list.separator')),
            })
          : say(error.key, { reason: error.reason })}
      </p>
    </>
  );
}

interface Column {
  readonly key: string;
  readonly title: string;
  readonly titles: Readonly<Partial<Record<Locale, string>>>;
  readonly group: string;
}

/** The columns of the run table, without the values of scalars, which are tags here. */
function useColumns(board: ScalarParts, isWanted: boolean): readonly Column[] {
  const columns = useSignal<readonly Column[]>([]);
  useEffect(() => {
    if (!isWanted) return;
    const stop = new AbortController();
    board.page.ctx.data.json<{ readonly columns: readonly Column[] }>('columns', {}, { signal: stop.signal }).then(
      (answer) => (columns.value = answer.columns.filter(({ group }) => group !== 'scalar')),
      () => undefined, // names can be typed all the same
    );
    return () => stop.abort();
  }, [isWanted]);
  return columns.value;
}

interface MetricChoiceProps extends FieldsProps {
  readonly which: 'x' | 'y';
  readonly label: string;
}

/** One metric: which value, of which tag or column. */
function MetricChoice({ board, draft, change, which, label }: MetricChoiceProps): JSX.Element {
  const { t: say, locale } = board.page;
  const metric: Metric = metricOf(draft[which]) ?? { of: 'last', tag: '' };
  const of = useSignal(metric.of);
  const isColumn = of.value === 'column';
  const columns = useColumns(board, isColumn);
  const name = metric.of === 'column' ? metric.column : metric.tag;
  const set = (kind: Metric['of'], text: string): void => {
    of.value = kind;
    change({ [which]: text ? textOf(kind === 'column' ? { of: kind, column: text } : { of: kind, tag: text }) : '' });
  };
  const list = `panel-${which}-names`;
  return (
    <div class="row">
      <span class="axis">{label}</span>
      <Select
        name={`${which}-of`}
        label={`${label}: ${say('panel.of')}`}
        value={of.value}
        options={[...SUMMARIES, 'column' as const].map((value) => ({ value, text: say(`panel.of.${value}.short`) }))}
        onPick={(value) => set(value, (value === 'column') === isColumn ? name : '')}
      />
      <input
        name={which}
        list={list}
        autocomplete="off"
        spellcheck={false}
        aria-label={`${label}: ${say(isColumn ? 'panel.column' : 'table.tag')}`}
        placeholder={say(isColumn ? 'panel.column' : 'table.tag')}
        value={name}
        onInput={(e) => set(of.value, e.currentTarget.value)}
      />
      <datalist id={list}>
        {isColumn
          ? columns.map(({ key, title, titles }) => (
              <option key={key} value={key}>
                {titles[locale.value] ?? title}
              </option>
            ))
          : [...board.tags.runsByTag.value.keys()].sort(byName).map((tag) => <option key={tag} value={tag} />)}
      </datalist>
    </div>
  );
}

function LogBox({
  board,
  draft,
  change,
  which,
  text,
}: FieldsProps & { readonly which: 'logX' | 'logY'; readonly text: string }): JSX.Element {
  return (
    <label>
      <input
        type="checkbox"
        name={which}
        checked={draft[which] === true}
        onChange={(e) => change({ [which]: e.currentTarget.checked })}
      />
      {board.page.t(text)}
    </label>
  );
}

/** One metric of each run. */
export function MetricField(props: FieldsProps): JSX.Element {
  const { t: say } = props.board.page;
  return (
    <>
      <MetricChoice {...props} which="y" label={say('panel.metric')} />
      {props.draft.kind === 'histogram' && <LogBox {...props} which="logX" text="panel.log" />}
    </>
  );
}

export function ScatterFields(props: FieldsProps): JSX.Element {
  const { t: say } = props.board.page;
  return (
    <>
      <MetricChoice {...props} which="x" label={say('limits.x')} />
      <MetricChoice {...props} which="y" label={say('limits.y')} />
      <LogBox {...props} which="logX" text="log.x" />
      <LogBox {...props} which="logY" text="log.y" />
    </>
  );
}

export function NoteField({ board, draft, change }: FieldsProps): JSX.Element {
  return (
    <textarea
      name="text"
      rows={10}
      autofocus
      aria-label={board.page.t('panel.text')}
      placeholder={board.page.t('panel.text')}
      value={draft.text ?? ''}
      onInput={(e) => change({ text: e.currentTarget.value })}
    />
  );
}
