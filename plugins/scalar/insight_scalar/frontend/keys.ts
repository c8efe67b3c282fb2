import type { Disposer } from 'insight-host';
import type { Board } from './board';

/** The tab's keys; those of a card act on the one under the pointer or with the focus. */
export function addShortcuts(board: Board, host: HTMLElement): Disposer {
  const { ctx } = board;
  const onCard = (run: (tag: string) => void) => (): void => {
    const tag = board.full.value ?? board.current.value;
    if (tag !== null && board.runsByTag.value.has(tag)) run(tag);
  };
  const focus = (id: string) => (): void => {
    const element = host.querySelector<HTMLInputElement>(`#${id}`);
    element?.focus();
    if (element?.type === 'search') element.select();
  };
  const keys: readonly (readonly [string, string, () => void])[] = [
    ['b', 'keys.tool', () => board.tool.set(board.tool.value === 'box' ? 'pan' : 'box')],
    ['Backspace', 'zoom.back', onCard((tag) => board.stepBack(tag))],
    ['0', 'zoom.reset', onCard((tag) => board.reset(tag))],
    ['l', 'log.y', onCard((tag) => board.setLog(tag, { ...board.logOf(tag), y: !board.logOf(tag).y }))],
    ['f', 'full.enter', onCard((tag) => board.full.set(board.full.value === tag ? null : tag, 'push'))],
    ['Escape', 'full.leave', () => board.full.value !== null && board.full.set(null)],
    ['s', 'keys.smoothing', focus('smoothing')],
    ['t', 'keys.filter', focus('tag-filter')],
  ];
  let stops: readonly Disposer[] = [];
  const end = (): void => stops.forEach((stop) => stop());
  // Descriptions are texts: they are given anew when the language changes.
  const stopLocale = ctx.locale.subscribe(() => {
    end();
    stops = keys.map(([key, text, run]) => ctx.shortcut(key, ctx.t(text), run));
  });
  return () => {
    stopLocale();
    end();
  };
}
