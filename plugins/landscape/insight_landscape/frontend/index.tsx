import { cardStyles, focusOn, fullScreenKeys, tab } from '@insight-host/kit';
import { App } from './app';
import { LandscapeBoard } from './board';
import styles from './landscapes.css?inline';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';
import { endRenderer } from './stage';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: cardStyles + styles,
  board: ({ ctx }) => {
    ctx.signal.addEventListener('abort', endRenderer, { once: true });
    return new LandscapeBoard(ctx);
  },
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ['v', 'keys.form', () => board.turnForm()],
    ['c', 'keys.mode', () => board.mode.set(board.mode.value === 'analysis' ? 'comparison' : 'analysis', 'push')],
    ['p', 'path.play', () => board.mode.value === 'analysis' && board.player.toggle()],
    [',', 'keys.before', () => board.step(-1)],
    ['.', 'keys.after', () => board.step(1)],
    ['l', 'log.hint', () => board.log.set(!board.log.value)],
    ...fullScreenKeys(board.screen),
    ['g', 'keys.stage', () => focusOn(host, '.stage')],
  ],
});
