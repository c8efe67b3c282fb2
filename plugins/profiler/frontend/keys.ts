import { focusOn, type Key } from '@insight-host/kit';
import type { ProfilerParts } from './board';

export function keys(board: ProfilerParts, host: HTMLElement): readonly Key[] {
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
