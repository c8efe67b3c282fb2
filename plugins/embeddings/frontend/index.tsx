import { cardStyles, focusOn, fullScreenKeys, tab } from '@insight-host/kit';
import { App } from './app';
import { embeddingParts } from './board';
import styles from './embeddings.css?inline';
import en from '../insight_embeddings/locales/en.json';
import zh from '../insight_embeddings/locales/zh-CN.json';

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
