import { cardStyles, tab } from '@insight-host/kit';
import { App, ScalarCard } from './app';
import { scalarParts } from './board';
import { keys } from './keys';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';
import reasons from './reasons.zh-CN.json';
import panelsEn from './panels/locales/en.json';
import panelsZh from './panels/locales/zh-CN.json';
import panelStyles from './panels/panels.css?inline';
import styles from './scalars.css?inline';

export default tab({
  messages: { en: { ...en, ...panelsEn }, 'zh-CN': { ...zh, ...panelsZh, ...reasons } },
  styles: cardStyles + styles + panelStyles,
  board: scalarParts,
  view: (board) => <App board={board} />,
  card: (board, card) => <ScalarCard board={board} card={card} />,
  keys,
});
