/** The tab of the profiler, and its keys. */
import { focusOn, type Key, tab } from '@insight-host/kit';
import { App } from './app';
import { offered, profilerParts, type ProfilerParts } from './board';
import { tab as en } from '../insight_profiler/locales/en.json';
import { tab as zh } from '../insight_profiler/locales/zh-CN.json';
import styles from './profiler.css?inline';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles,
  board: profilerParts,
  runs: offered,
  view: (board) => <App board={board} />,
  keys,
});

function keys(board: ProfilerParts, host: HTMLElement): readonly Key[] {
  const move = (by: number): void => {
    const { value: views } = board.navigation.views;
    const at = views.indexOf(board.navigation.view.value as never);
    const next = views[(at + by + views.length) % Math.max(1, views.length)];
    if (next) board.navigation.wanted.set(next, 'push');
  };
  return [
    ['p', 'picker.label', () => board.dialog.value === null && (board.dialog.value = 'profile')],
    ['n', 'keys.next', () => move(1)],
    ['Shift+N', 'keys.previous', () => move(-1)],
    ['s', 'keys.search', () => focusOn(host, '[data-search]')],
    ['Escape', 'panel.close', () => board.opened.value.length > 0 && board.opened.set([])],
    ['0', 'steps.clear', () => board.steps.set(null)],
    [
      'c',
      'compare.pick',
      () =>
        board.dialog.value === null &&
        board.navigation.views.value.includes('compare') &&
        (board.dialog.value = 'base'),
    ],
  ];
}
