import { cardStyles, Content, Empty, focusOn, fullScreenKeys, tab } from '@insight-host/kit';
import type { JSX } from 'preact';
import en from '../insight_landscape/locales/en.json';
import zh from '../insight_landscape/locales/zh-CN.json';
import { Analysis } from './analysis';
import { landscapeParts, retry, turnForm, type LandscapeParts } from './board';
import { Comparison } from './comparison';
import styles from './landscapes.css?inline';
import { endRenderer } from './picture';
import { Toolbar } from './toolbar';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: cardStyles + styles,
  board: (page) => {
    page.ctx.signal.addEventListener('abort', endRenderer, { once: true });
    return landscapeParts(page);
  },
  // comparing, it is about many
  runs: (board) => (board.mode.value === 'analysis' ? { among: board.having.value } : null),
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ['v', 'keys.form', () => turnForm(board)],
    ['c', 'keys.mode', () => board.mode.set(board.mode.value === 'analysis' ? 'comparison' : 'analysis', 'push')],
    ['p', 'path.play', () => board.mode.value === 'analysis' && board.chosen.player.toggle()],
    [',', 'keys.before', () => board.chosen.step(-1)],
    ['.', 'keys.after', () => board.chosen.step(1)],
    ['l', 'log.hint', () => board.log.set(!board.log.value)],
    ...fullScreenKeys(board.screen),
    ['g', 'keys.stage', () => focusOn(host, '.stage')],
  ],
});

function App({ board }: { readonly board: LandscapeParts }): JSX.Element {
  return (
    <div class={board.screen.value ? 'kit landscapes full' : 'kit landscapes'} data-testid="landscapes">
      <Toolbar board={board} />
      <Content board={board}>{() => <Body board={board} />}</Content>
    </div>
  );
}

function Body({ board }: { readonly board: LandscapeParts }): JSX.Element {
  const { t: say } = board.page;
  if (board.lists.failure.value && board.lists.isComing.value) {
    return (
      <Empty title={say('failure')} text={board.lists.failure.value}>
        <button type="button" data-action="retry" onClick={() => retry(board)}>
          {say('retry')}
        </button>
      </Empty>
    );
  }
  if (board.lists.isComing.value && board.lists.byRun.value.size === 0)
    return <div class="workspace" aria-busy="true" />;
  return board.mode.value === 'analysis' ? <Analysis board={board} /> : <Comparison board={board} />;
}
