import { cardStyles, tab } from '@insight-host/kit';
import { App } from './app';
import { HealthBoard } from './board';
import styles from './health.css?inline';
import en from '../insight_health/locales/en.json';
import zh from '../insight_health/locales/zh-CN.json';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: cardStyles + styles,
  board: (page) => new HealthBoard(page),
  runs: (board) => board.choice.value,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ['m', 'keys.map', () => host.querySelector<HTMLElement>('[data-testid="heat-map"]')?.focus()],
    [
      'b',
      'keys.first',
      () => {
        const [first] = board.map.value?.faults ?? [];
        if (first) board.show(first);
      },
    ],
  ],
});
