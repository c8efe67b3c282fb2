import {
  Button,
  bytesText,
  cardStyles,
  Choice,
  Cluster,
  Content,
  Empty,
  focusOn,
  Select,
  tab,
  Toggle,
  ToolbarLine,
} from '@insight-host/kit';
import { tableStyles } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import en from '../insight_samples/locales/en.json';
import zh from '../insight_samples/locales/zh-CN.json';
import { samplesParts, VIEWS, type SamplesBoard } from './board';
import { ChangesView } from './changes';
import { Charts } from './charts';
import { SampleView } from './detail';
import { showCurves } from './curves';
import { List } from './list';
import styles from './samples.css?inline';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: cardStyles + tableStyles + styles,
  runs: 'one',
  board: samplesParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ['s', 'keys.search', () => focusOn(host, '.samples-search')],
    ['n', 'keys.next', () => board.move(1)],
    ['p', 'keys.previous', () => board.move(-1)],
    ['c', 'keys.changes', () => board.view.set(board.view.value === 'changes' ? 'samples' : 'changes')],
  ],
});

interface AppProps {
  readonly board: SamplesBoard;
}

function App({ board }: AppProps): JSX.Element {
  return (
    <div class="kit samples" data-testid="samples">
      <Tools board={board} />
      <Content board={board}>{() => <Body board={board} />}</Content>
    </div>
  );
}

function Tools({ board }: AppProps): JSX.Element {
  const { t: say, tabs } = board.page;
  const step = board.step.value;
  const isList = board.view.value === 'samples';
  const tools = (
    <>
      {(board.canCompare.value || !isList) && (
        <Choice say={say} name="view" label={say('view')} values={VIEWS} setting={board.view} how="push" />
      )}
      <Sources board={board} />
      {isList && <Filters board={board} />}
      {step !== null && tabs.value.includes('scalar') && (
        <Button
          action="to-curves"
          text={say('curves')}
          label={say('curves.hint', { score: board.score.value || say('score'), step })}
          onPress={() => void showCurves(board, step)}
        />
      )}
    </>
  );
  const display = (
    <>
      <Toggle action="charts" label={say('charts.hint')} text={say('charts')} setting={board.charts} />
      {isList && <Toggle action="regex" label={say('regex')} text={say('regex')} setting={board.isRegex} />}
    </>
  );
  return <ToolbarLine say={say} first={<Steps board={board} />} tools={tools} display={display} />;
}

/** Files of the run that belong together, where there are several such. */
function Sources({ board }: AppProps): JSX.Element | null {
  const { t: say, locale } = board.page;
  const names = board.sourceNames.value;
  if (names.length < 2) return null;
  return (
    <Select
      name="source"
      label={say('source')}
      look="samples-source"
      value={board.source.value || (names[0]?.[1] ?? '')}
      options={names.map(([, name, files, bytes]) => ({
        value: name,
        text: name,
        title: `${name} · ${say('files', { count: files })} · ${bytesText(bytes, locale.value)}`,
      }))}
      onPick={board.pickSource}
    />
  );
}

const EVERY = 'every';

/** The step that is shown, with the one before and after; a list may be of all steps. */
function Steps({ board }: AppProps): JSX.Element | null {
  const { t: say } = board.page;
  const steps = board.steps.value;
  const step = board.step.value;
  if (step === null) return null;
  const place = steps.indexOf(step);
  const isList = board.view.value === 'samples';
  const isEvery = isList && board.everyStep.value;
  return (
    <Cluster>
      <Button
        action="step-back"
        icon="previous"
        label={say('keys.previous')}
        disabled={place <= 0 && !isEvery}
        onPress={() => board.move(-1)}
      />
      <Select<number | string>
        name="step"
        label={say('step')}
        value={isEvery ? EVERY : step}
        options={[
          ...(isList && steps.length > 1 ? [{ value: EVERY, text: say('step.every') }] : []),
          ...around(steps, place).map((value) => ({ value, text: say('step.at', { step: value }) })),
        ]}
        onPick={(value) => (typeof value === 'number' ? board.goTo(value) : board.everyStep.set(true))}
      />
      <Button
        action="step-forward"
        icon="next"
        label={say('keys.next')}
        disabled={place >= steps.length - 1 && !isEvery}
        onPress={() => board.move(1)}
      />
    </Cluster>
  );
}

const MOST_CHOICES = 200; // steps of the list that opens

/** Some of very many steps: those around the one that is shown, and others evenly apart. */
export function around(steps: readonly number[], place: number): readonly number[] {
  if (steps.length <= MOST_CHOICES) return steps;
  const each = Math.ceil(steps.length / (MOST_CHOICES / 2));
  return steps.filter((_, at) => at % each === 0 || at === steps.length - 1 || Math.abs(at - place) < MOST_CHOICES / 4);
}

function Filters({ board }: AppProps): JSX.Element {
  const { t: say, locale } = board.page;
  const { search } = board;
  const failure = search.failure.value ?? board.lines.error.value;
  const number = (value: number): string => value.toLocaleString(locale.value);
  return (
    <>
      <input
        class={board.lines.error.value === null ? 'filter samples-where' : 'filter samples-where bad'}
        type="text"
        data-control="where"
        aria-label={say('where')}
        placeholder={say('where')}
        title={board.lines.error.value ?? say('where.hint')}
        value={board.where.value}
        onInput={(event) => board.where.set(event.currentTarget.value)}
      />
      <input
        class={search.failure.value === null ? 'filter samples-search' : 'filter samples-search bad'}
        type="search"
        data-control="search"
        aria-label={say('search')}
        placeholder={say('search')}
        title={search.failure.value ?? say('search.hint')}
        value={board.q.value}
        onInput={(event) => board.q.set(event.currentTarget.value)}
      />
      <span class="count" role="status" data-testid="samples-count">
        {failure ??
          (board.q.value === ''
            ? board.lines.head.value !== null &&
              say('found', { count: board.lines.count, number: number(board.lines.count) })
            : `${say('found', { count: search.count.value, number: number(search.count.value) })}${
                search.share.value < 1 ? ` · ${Math.floor(search.share.value * 100)} %` : ''
              }`)}
      </span>
    </>
  );
}

function Body({ board }: AppProps): JSX.Element {
  const { t: say } = board.page;
  const failure = board.overview.error.value?.reason ?? null;
  const overview = board.known.value;
  if (failure !== null && overview === null)
    return (
      <Empty title={say('failure')} text={failure}>
        <button type="button" data-action="retry" onClick={() => board.overview.retry()}>
          {say('retry')}
        </button>
      </Empty>
    );
  if (!overview) return <div class="pane" aria-busy="true" />;
  if (overview.rows === 0 && overview.indexed >= overview.bytes && overview.errors.length === 0)
    return <Empty title={say('no_rows')} text={say('no_rows.text', { source: overview.source })} />;
  return (
    <>
      <State board={board} />
      {board.charts.value && <Charts board={board} />}
      {board.view.value === 'changes' ? (
        <ChangesView board={board} />
      ) : (
        <div class="panes">
          <List board={board} />
          <SampleView board={board} />
        </div>
      )}
    </>
  );
}

/** What is not read yet, and what cannot be read. */
function State({ board }: AppProps): JSX.Element | null {
  const { t: say } = board.page;
  const overview = board.known.value;
  if (!overview) return null;
  const { indexed, bytes, bad, bad_rows: badRows, errors } = overview;
  if (indexed >= bytes && badRows === 0 && errors.length === 0) return null;
  return (
    <p class="state" role="status" data-testid="samples-state">
      {indexed < bytes && <span>{say('indexing', { share: Math.floor((100 * indexed) / Math.max(1, bytes)) })}</span>}
      {badRows > 0 && (
        <span class="warn" title={bad.map(([file, offset, rows]) => `${file}: ${offset} (${rows})`).join('\n')}>
          {say('bad', { count: badRows })}
        </span>
      )}
      {errors.map((error) => (
        <span class="warn" key={error.file}>{`${error.file}: ${board.page.reason(error as never)}`}</span>
      ))}
    </p>
  );
}
