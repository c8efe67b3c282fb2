import { boardKeys, cardStyles, focusOn, onCard, tab, type Key } from '@insight-host/kit';
import en from '../insight_scalar/locales/en.json';
import zh from '../insight_scalar/locales/zh-CN.json';
import { App, ScalarCard } from './app';
import { openForFirst, scalarParts, type ScalarParts } from './board';
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

/** The tab's keys; those of a card act on the one under the pointer or with the focus. */
function keys(board: ScalarParts, host: HTMLElement): readonly Key[] {
  const [full, leave, filter] = boardKeys(board, host);
  return [
    ['b', 'keys.tool', () => board.tool.set(board.tool.value === 'box' ? 'pan' : 'box')],
    ['Backspace', 'zoom.back', onCard(board, ({ tag }) => board.zooms.stepBack(tag))],
    ['0', 'zoom.reset', onCard(board, ({ tag }) => board.zooms.reset(tag))],
    [
      'l',
      'log.y',
      onCard(board, ({ tag }) => board.logs.set(tag, { ...board.logs.of(tag), y: !board.logs.of(tag).y })),
    ],
    ['n', 'first.title', () => openForFirst(board, 'first')],
    ['m', 'notes.title', () => openForFirst(board, 'notes')],
    ['a', 'limits.open', onCard(board, ({ tag }) => (board.dialog.value = { kind: 'limits', tag }))],
    full,
    leave,
    ['e', 'derived.open', () => (board.dialog.value = { kind: 'derived', tag: '' })],
    ['p', 'panel.add', () => (board.dialog.value = { kind: 'panel', tag: '' })],
    ['s', 'keys.smoothing', () => focusOn(host, '#smoothing')],
    filter,
  ];
}
