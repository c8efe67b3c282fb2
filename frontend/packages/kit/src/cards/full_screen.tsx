import type { JSX } from 'preact';
import { Button } from '../base/controls';
import type { Key } from '../base/keys';
import type { Setting, Page } from '../base/page';

export interface FullScreenProps {
  readonly page: Page;
  readonly isFull: boolean;
  readonly onPress: () => void;
}

/** The button that lets a card or a tab fill the screen, and leaves it again. */
export function FullScreen({ page, isFull, onPress }: FullScreenProps): JSX.Element {
  return (
    <Button
      action="fullscreen"
      icon={isFull ? 'close' : 'full'}
      label={page.t(isFull ? 'full.leave' : 'full.enter')}
      pressed={isFull}
      onPress={onPress}
    />
  );
}

/** The same for a tab that fills the screen as a whole. */
export function FullScreenToggle({
  page,
  setting,
}: {
  readonly page: Page;
  readonly setting: Setting<boolean>;
}): JSX.Element {
  return <FullScreen page={page} isFull={setting.value} onPress={() => setting.set(!setting.value, 'push')} />;
}

/** The keys of a tab that fills the screen as a whole. */
export function fullScreenKeys(setting: Setting<boolean>): readonly Key[] {
  return [
    ['f', 'full.enter', () => setting.set(!setting.value, 'push')],
    ['Escape', 'full.leave', () => setting.value && setting.set(false)],
  ];
}
