import type { JSX } from 'preact';
import { Button } from './controls';
import type { Key } from './keys';
import type { Setting, TabState } from './tab_state';

export interface FullScreenProps {
  readonly board: TabState;
  readonly isFull: boolean;
  readonly onPress: () => void;
}

/** The button that lets a card or a tab fill the screen, and leaves it again. */
export function FullScreen({ board, isFull, onPress }: FullScreenProps): JSX.Element {
  return (
    <Button
      action="fullscreen"
      icon={isFull ? 'close' : 'full'}
      label={board.t(isFull ? 'full.leave' : 'full.enter')}
      pressed={isFull}
      onPress={onPress}
    />
  );
}

/** The same for a tab that fills the screen as a whole. */
export function FullScreenToggle({
  board,
  setting,
}: {
  readonly board: TabState;
  readonly setting: Setting<boolean>;
}): JSX.Element {
  return <FullScreen board={board} isFull={setting.value} onPress={() => setting.set(!setting.value, 'push')} />;
}

/** The keys of a tab that fills the screen as a whole. */
export function fullScreenKeys(setting: Setting<boolean>): readonly Key[] {
  return [
    ['f', 'full.enter', () => setting.set(!setting.value, 'push')],
    ['Escape', 'full.leave', () => setting.value && setting.set(false)],
  ];
}
