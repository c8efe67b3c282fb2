import { cardStyles, tab } from '@insight-host/kit';
import { App, ScalarCard } from './app';
import { scalarParts } from './board';
import { keys } from './keys';
import en from '../locales/en.json';
import zh from '../locales/zh-CN.json';
import panelStyles from './panels/panels.css?inline';
import styles from './scalars.css?inline';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: cardStyles + styles + panelStyles,
  board: scalarParts,
  view: (board) => <App board={board} />,
  card: (board, card) => <ScalarCard board={board} card={card} />,
  keys,
});
