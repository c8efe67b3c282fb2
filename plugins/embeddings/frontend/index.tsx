import { cardStyles, Content, Empty, ErrorCell, focusOn, fullScreenKeys, message, tab } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import en from '../insight_embeddings/locales/en.json';
import zh from '../insight_embeddings/locales/zh-CN.json';
import { embeddingParts, type EmbeddingParts } from './board';
import styles from './embeddings.css?inline';
import { PointPanel, SearchPanel, SelectionPanel } from './panels';
import type { Picture } from './picture';
import { Stage } from './stage';
import { Status } from './status';
import { Toolbar } from './toolbar';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: cardStyles + styles,
  runs: 'one',
  board: embeddingParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ['/', 'keys.search', () => focusOn(host, '.search-text')],
    ['g', 'keys.stage', () => focusOn(host, '.stage')],
    ['d', 'keys.space', () => board.space.set(board.space.value === 'two' ? 'three' : 'two')],
    ['l', 'labels.hint', () => board.labels.set(!board.labels.value)],
    ['b', 'boxes', () => void (board.boxes.value = !board.boxes.value)],
    ['p', 'turn', () => board.orbit.turn()],
    [',', 'keys.before', () => board.chosen.move(-1)],
    ['.', 'keys.after', () => board.chosen.move(1)],
    ['c', 'keys.clear', () => board.clear()],
    ...fullScreenKeys(board.screen),
  ],
});

function App({ board }: { readonly board: EmbeddingParts }): JSX.Element {
  const picture = useRef<Picture | null>(null);
  const save = (): void => {
    const { ctx } = board.page;
    picture.current?.file().then(
      (blob) => ctx.ui.download(`${board.chosen.group.value ?? 'embedding'}.png`, blob),
      (error: unknown) => ctx.notify('error', message(error)),
    );
  };
  return (
    <div class={board.screen.value ? 'kit embeddings full' : 'kit embeddings'} data-testid="embeddings">
      <Toolbar board={board} onSave={save} />
      <Content board={board}>{() => <Body board={board} onPicture={(made) => (picture.current = made)} />}</Content>
    </div>
  );
}

interface BodyProps {
  readonly board: EmbeddingParts;
  readonly onPicture: (made: Picture | null) => void;
}

function Body({ board, onPicture }: BodyProps): JSX.Element {
  const { t: say } = board.page;
  const { lists, chosen, source } = board;
  const { value: entry } = chosen.entry;
  const run = chosen.run.value?.name ?? '';
  if (lists.failure.value && lists.isComing.value)
    return (
      <Empty title={say('failure')} text={lists.failure.value}>
        <button type="button" data-action="retry" onClick={() => lists.retry()}>
          {say('retry')}
        </button>
      </Empty>
    );
  if (!entry) {
    const errors = lists.byRun.value.get(run)?.errors ?? [];
    if (errors.length === 0) {
      if (lists.isComing.value) return <div class="workspace" aria-busy="true" />;
      return <Empty title={say('empty.nothing')} text={say('empty.config')} />;
    }
    return (
      <div class="workspace">
        <section class="card main">
          {errors.map((error) => (
            <ErrorCell key={error.error} page={board.page} card={{ run, tag: '' }} reason={board.page.reason(error)} />
          ))}
        </section>
      </div>
    );
  }
  const problem = entry.problem ? board.page.reason(entry.problem) : source.error.value;
  return (
    <div class="workspace">
      <section class="card main">
        {problem ? (
          <div class="view">
            <ErrorCell
              page={board.page}
              card={{ run, tag: entry.file || entry.name }}
              reason={problem}
              {...(entry.problem ? {} : { onRetry: () => source.retry() })}
            />
          </div>
        ) : source.points.value ? (
          <Stage board={board} onPicture={onPicture} />
        ) : (
          <div class="view busy" aria-busy="true" />
        )}
        <Status board={board} />
      </section>
      {board.panel.value && !problem && source.points.value && (
        <aside class="side" aria-label={say('panel')}>
          <SearchPanel board={board} />
          <PointPanel board={board} />
          <SelectionPanel board={board} />
        </aside>
      )}
    </div>
  );
}
