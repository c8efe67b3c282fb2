import { Icon, tab } from '@insight-host/kit';
import { Modes } from '@insight-host/kit/table';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import styles from './diagnose.css?inline';
import { isProblem } from './entries';
import { EntryCard } from './entry';
import { FindingsBoard } from './findings';
import { NothingWrong, Rules } from './rules';
import en from '../insight_diagnose/locales/en.json';
import zh from '../insight_diagnose/locales/zh-CN.json';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles,
  board: (page) => new FindingsBoard(page),
  view: (board) => <Diagnosis board={board} />,
  keys: (_, host) => [['f', 'keys.first', () => host.querySelector<HTMLElement>('.entry .ih-button')?.focus()]],
});

const SKELETONS = 3;

interface Props {
  readonly board: FindingsBoard;
}

/** What is wrong by rule, what is good to know, what is dismissed, and which rules were checked. */
function Diagnosis({ board }: Props): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const isDone = board.isKnown.value && board.left.value === 0;
  const problems = board.problems.value;
  const others = board.entries.value.filter((entry) => !isProblem(entry));
  const isWaiting = !isDone && board.failure.value === '' && page.ctx.runs.shown.value.length > 0;
  useEffect(() => {
    if (isDone && board.only.value === '') page.ctx.badge(problems.length > 0 ? String(problems.length) : '');
  }, [isDone, problems.length]);
  return (
    <div class="kit findings" data-ready={isDone || board.failure.value !== '' ? '' : undefined} aria-busy={isWaiting}>
      <Bar board={board} isDone={isDone} />
      {board.failure.value && <p role="alert">{say('failure', { reason: board.failure.value })}</p>}
      {isDone && problems.length === 0 && <NothingWrong board={board} />}
      <ul class="list">
        {problems.map((entry) => (
          <EntryCard key={entry.key} board={board} entry={entry} />
        ))}
        {isWaiting &&
          Array.from({ length: Math.max(1, SKELETONS - problems.length) }, (_, at) => (
            <li key={`skeleton${at}`} class="skeleton" aria-hidden="true" />
          ))}
      </ul>
      {others.length > 0 && (
        <>
          <h2>{say('good')}</h2>
          <ul class="list">
            {others.map((entry) => (
              <EntryCard key={entry.key} board={board} entry={entry} />
            ))}
          </ul>
        </>
      )}
      <DismissedEntries board={board} />
      <Rules board={board} />
    </div>
  );
}

/** The modes of the tab, the result in a line, and how far the check is. */
function Bar({ board, isDone }: Props & { readonly isDone: boolean }): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const only = board.only.value;
  const total = board.runs.value || page.ctx.runs.shown.value.length;
  const checked = board.isKnown.value ? board.runs.value - board.left.value : 0;
  const waits = !isDone && total > 0;
  return (
    <div class="toolbar" role="toolbar" aria-label={say('toolbar')}>
      <Modes page={page} />
      <p class="status" role="status">
        {statusOf(board)}
        {isDone && board.pending.value > 0 && <span> {say('pending', { count: board.pending.value })}</span>}
      </p>
      {only !== '' && (
        <button type="button" class="ih-button ih-small" data-action="all-runs" onClick={() => board.only.set('')}>
          {say('only', { run: page.nameOf(only) })} <Icon name="close" />
        </button>
      )}
      {waits && board.failure.value === '' && (
        <progress class="ih-progress" aria-label={say('progress')} max={total} value={checked} />
      )}
    </div>
  );
}

function statusOf(board: FindingsBoard): string {
  const { t: say, ctx } = board.page;
  const total = ctx.runs.shown.value.length;
  if (total === 0) return say('no_runs');
  if (!board.isKnown.value) return say('checking', { checked: 0, total });
  const of = board.runs.value;
  if (board.left.value > 0) return say('checking', { checked: of - board.left.value, total: of });
  const problems = board.problems.value;
  const runs = new Set(problems.flatMap(({ head }) => head.runs)).size;
  return problems.length === 0 ? say('none', { of }) : say('found', { count: problems.length, runs, of });
}

/** How many entries are dismissed, and on demand which. */
function DismissedEntries({ board }: Props): JSX.Element | null {
  const { t: say } = board.page;
  const isOpen = useSignal(false);
  const put = board.put.value;
  useEffect(() => {
    if (put.length === 0) isOpen.value = false;
  }, [put.length]);
  if (put.length === 0) return null;
  return (
    <>
      <p class="dismissed">
        {say('dismissed', { count: put.length })}{' '}
        <button
          type="button"
          class="ih-link"
          data-action="show-dismissed"
          aria-expanded={isOpen.value}
          onClick={() => void (isOpen.value = !isOpen.value)}
        >
          {say(isOpen.value ? 'dismissed.hide' : 'dismissed.show')}
        </button>
      </p>
      {isOpen.value && (
        <ul class="list put">
          {put.map((entry) => (
            <EntryCard key={entry.key} board={board} entry={entry} isDismissed />
          ))}
        </ul>
      )}
    </>
  );
}
