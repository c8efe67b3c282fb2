import { boardKeys, cardStyles, tab } from '@insight-host/kit';
import { stepKeys, stepMessages, stepStyles } from '@insight-host/kit/steps';
import { App, lookFrom } from './app';
import { DRAWS, meshParts } from './board';
import { VIEWS, type View } from './camera';
import en from '../insight_mesh/locales/en.json';
import zh from '../insight_mesh/locales/zh-CN.json';
import styles from './mesh.css?inline';

export default tab({
  messages: { en: { ...stepMessages.en, ...en }, 'zh-CN': { ...stepMessages['zh-CN'], ...zh } },
  styles: cardStyles + stepStyles + styles,
  board: meshParts,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ...stepKeys(board),
    ...boardKeys(board, host),
    ['d', 'draw.turn', () => board.draw.set(DRAWS[(DRAWS.indexOf(board.draw.value) + 1) % DRAWS.length] ?? 'smooth')],
    ...(Object.keys(VIEWS) as View[]).map((view, n): [string, string, () => void] => [
      String(n + 1),
      `view.${view}`,
      () => lookFrom(board, view),
    ]),
  ],
});
