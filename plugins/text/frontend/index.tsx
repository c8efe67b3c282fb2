import { AttemptsChoice, boardKeys, cardStyles, Choice, Frame, Select, tab } from '@insight-host/kit';
import { markdownStyles } from '@insight-host/kit/markdown';
import { LinkSteps, stepKeys, stepMessages, stepStyles, TimeChoice } from '@insight-host/kit/steps';
import type { JSX } from 'preact';
import en from '../insight_text/locales/en.json';
import zh from '../insight_text/locales/zh-CN.json';
import { textParts, VIEWS, type TextParts } from './board';
import { TextCard } from './card';
import styles from './text.css?inline';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + markdownStyles + styles,
  board: textParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [...stepKeys(board), ...boardKeys(board, host)],
});

interface AppProps {
  readonly board: TextParts;
}

function App({ board }: AppProps): JSX.Element {
  return (
    <Frame
      board={board}
      name="texts"
      look={board.height.look.value}
      tools={<Tools board={board} />}
      card={(card, place) => <TextCard board={board} card={card} place={place} />}
    />
  );
}

function Tools({ board }: AppProps): JSX.Element {
  const { t: say } = board.page;
  const { value: view } = board.view;
  return (
    <>
      <input
        class="filter text-search"
        type="search"
        data-control="search"
        aria-label={say('search')}
        placeholder={say('search')}
        title={say('search.hint')}
        value={board.search.value}
        onInput={(event) => board.search.set(event.currentTarget.value)}
      />
      <TimeChoice page={board.page} setting={board.time} />
      <Choice say={say} name="view" label={say('view')} values={VIEWS} setting={{ value: view, set: board.view.set }} />
      {view === 'diff' && <BaseChoice board={board} />}
      <LinkSteps board={board} />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
    </>
  );
}

/** With what a diff compares: the record before, or the same step of another run. */
function BaseChoice({ board }: AppProps): JSX.Element {
  const { value: base } = board.base;
  const names = board.page.runs.value.map((run) => run.name);
  const runs = base === null || names.includes(base) ? names : [base, ...names];
  return (
    <Select
      name="base"
      label={board.page.t('base')}
      value={base === null ? '' : `=${base}`}
      options={[
        { value: '', text: board.page.t('base.previous') },
        ...runs.map((run) => ({ value: `=${run}`, text: board.page.nameOf(run) })),
      ]}
      onPick={(value) => board.base.set(value === '' ? null : value.slice(1))}
    />
  );
}
