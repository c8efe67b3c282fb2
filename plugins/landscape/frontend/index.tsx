import { cardStyles, focusOn, fullScreenKeys, tab } from '@insight-host/kit';
import { App } from './app';
import { landscapeParts, turnForm } from './board';
import styles from './landscapes.css?inline';
import en from '../locales/en.json';
import zh from '../locales/zh-CN.json';
import { endRenderer } from './picture';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: cardStyles + styles,
  board: (page) => {
    page.ctx.signal.addEventListener('abort', endRenderer, { once: true });
    return landscapeParts(page);
  },
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
