import {
  Button,
  bytesText,
  cardStyles,
  Content,
  Download,
  Empty,
  focusOn,
  Select,
  tab,
  timeText,
  Toggle,
  ToolbarLine,
} from '@insight-host/kit';
import { Modes } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import en from '../insight_console/locales/en.json';
import zh from '../insight_console/locales/zh-CN.json';
import { plainOf } from './ansi';
import { consoleParts, type ConsoleBoard } from './board';
import styles from './console.css?inline';
import type { Log } from './log';
import { Viewer } from './viewer';

const MOST_COPIED = 1000; // lines

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: cardStyles + styles,
  runs: 'one',
  board: consoleParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ['s', 'keys.search', () => focusOn(host, '.console-search')],
    ['n', 'keys.next', () => board.next(1)],
    ['p', 'keys.previous', () => board.next(-1)],
    ['e', 'keys.end', () => (board.follows.value = !board.follows.value)],
    ['w', 'keys.wrap', () => board.wrap.set(!board.wrap.value)],
    ['c', 'keys.copy', () => void copy(board)],
  ],
});

interface AppProps {
  readonly board: ConsoleBoard;
}

function App({ board }: AppProps): JSX.Element {
  return (
    <div class="kit console" data-testid="console">
      <Tools board={board} />
      <Content board={board}>{() => <Body board={board} />}</Content>
    </div>
  );
}

function Tools({ board }: AppProps): JSX.Element {
  const { t: say } = board.page;
  const { search, chosen, files } = board;
  const { value: shown } = chosen;
  const isSearching = board.q.value !== '';
  const tools = (
    <>
      {shown && (
        <Select
          name="file"
          label={say('file')}
          look="console-file"
          value={shown.tag}
          options={files.value.map(({ tag, size, changed }) => ({
            value: tag,
            text: `${tag} · ${bytesText(size, board.page.locale.value)}`,
            title: timeText(changed, board.page.locale.value),
          }))}
          onPick={board.pick}
        />
      )}
      <input
        class={search.failure.value === null ? 'filter console-search' : 'filter console-search bad'}
        type="search"
        data-control="search"
        aria-label={say('search')}
        placeholder={say('search')}
        title={search.failure.value ?? say('search.hint')}
        value={board.q.value}
        onInput={(event) => board.q.set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          board.next(event.shiftKey ? -1 : 1);
        }}
      />
      <Toggle action="regex" label={say('regex')} text=".*" setting={board.isRegex} />
      <Toggle action="all-runs" label={say('everywhere')} text={say('everywhere.short')} setting={board.everywhere} />
      {isSearching && (
        <>
          <Button action="previous-hit" label={say('keys.previous')} icon="previous" onPress={() => board.next(-1)} />
          <Button action="next-hit" label={say('keys.next')} icon="next" onPress={() => board.next(1)} />
          <Count board={board} />
        </>
      )}
      <Toggle action="wrap" label={say('keys.wrap')} text={say('wrap')} setting={board.wrap} />
      <Button
        action="follow"
        label={say('keys.end')}
        text={say('follow')}
        pressed={board.follows.value}
        onPress={() => (board.follows.value = !board.follows.value)}
      />
      {board.line.value && (
        <Button action="copy-lines" label={say('keys.copy')} icon="copy" onPress={() => void copy(board)} />
      )}
      {shown && (
        <Download
          label={say('download')}
          href={board.page.ctx.data.href('blob', { run: shown.run, tag: shown.tag, index: 0 })}
        />
      )}
    </>
  );
  return <ToolbarLine say={say} first={<Modes page={board.page} />} tools={tools} />;
}

function Count({ board }: AppProps): JSX.Element {
  const { t: say, locale } = board.page;
  const { count, share, current, failure } = board.search;
  const number = (value: number): string => value.toLocaleString(locale.value);
  const found =
    current.value < 0
      ? say('hits', { count: count.value, number: number(count.value) })
      : say('hits.at', { at: number(current.value + 1), number: number(count.value) });
  // of several logs one may be gone, and the others have hits
  const text = failure.value === null ? found : count.value > 0 ? `${found} · ${failure.value}` : failure.value;
  return (
    <span class="count" role="status" data-testid="console-hits" data-count={count.value}>
      {text}
      {share.value < 1 && ` · ${Math.floor(share.value * 100)} %`}
    </span>
  );
}

function Body({ board }: AppProps): JSX.Element {
  const { t: say } = board.page;
  const { value: log } = board.log;
  const failure = board.failure.value ?? log?.failure.value;
  if (failure)
    return (
      <Empty title={say('failure')} text={failure}>
        <button
          type="button"
          data-action="retry"
          onClick={() => void (board.failure.value === null ? log?.refresh() : board.reload())}
        >
          {say('retry')}
        </button>
      </Empty>
    );
  if (!log?.state.value) return <div class="log" aria-busy="true" />;
  if (log.state.value.isCompressed) return <Empty title={say('compressed')} text={say('compressed.text')} />;
  return (
    <>
      {board.everywhere.value && board.search.hits.value.length > 0 && <Hits board={board} />}
      <Viewer key={`${log.run} ${log.tag}`} board={board} log={log} />
      <Status board={board} log={log} />
    </>
  );
}

/** Where a search of all runs found something; the viewer shows the chosen one. */
function Hits({ board }: AppProps): JSX.Element {
  const { hits, current } = board.search;
  return (
    <ol class="hits" data-testid="console-found" aria-label={board.page.t('found')}>
      {hits.value.slice(0, 300).map((hit, at) => (
        <li key={`${hit.run} ${hit.tag} ${hit.line}`} data-hover-run={hit.run}>
          <button
            type="button"
            aria-current={current.value === at ? 'true' : undefined}
            onClick={() => {
              current.value = at;
              board.open(hit);
            }}
          >
            <span class="dot" style={{ background: board.page.colorOf(hit.run) }} />
            <span class="from" title={`${hit.run} ${hit.tag}`}>
              {board.page.nameOf(hit.run)} · {hit.tag}:{hit.line + 1}
            </span>
            <span class="said">{hit.text}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

/** How long the log is, and where the chosen line leads. */
function Status({ board, log }: AppProps & { readonly log: Log }): JSX.Element {
  const { t: say, locale, ctx } = board.page;
  const state = log.state.value;
  void log.version.value;
  const line = board.line.value;
  const step = line && log.row(line.first - 1)?.step;
  const lead = (to: number): void => {
    ctx.cursor.pin({ step: to });
    ctx.open('scalar');
  };
  return (
    <footer class="status" data-testid="console-status">
      <span>{state && say('lines', { count: state.total, number: state.total.toLocaleString(locale.value) })}</span>
      <span>{state && bytesText(state.size, locale.value)}</span>
      {state && state.indexed < state.size && (
        <span>{say('counting', { share: Math.floor((100 * state.indexed) / state.size) })}</span>
      )}
      {board.chosen.value && (
        <span>{say('changed', { time: timeText(board.chosen.value.changed, locale.value) })}</span>
      )}
      {line && (
        <span>{say('chosen', { lines: line.first === line.last ? line.first : `${line.first}–${line.last}` })}</span>
      )}
      {typeof step === 'number' && board.page.tabs.value.includes('scalar') && (
        <button type="button" class="ih-button ih-small" data-action="to-curves" onClick={() => lead(step)}>
          {say('curves', { step })}
        </button>
      )}
    </footer>
  );
}

/** Copies the chosen lines as plain text. */
async function copy(board: ConsoleBoard): Promise<void> {
  const { page, line, log } = board;
  const { value: lines } = line;
  if (!lines || !log.value) return;
  const count = Math.min(MOST_COPIED, lines.last - lines.first + 1);
  const texts = await log.value.texts(lines.first - 1, count);
  try {
    await navigator.clipboard.writeText(texts.map(plainOf).join('\n'));
    page.ctx.notify('info', page.t('copied', { count: texts.length }));
  } catch {
    page.ctx.notify('error', page.t('copy.refused'));
  }
}
