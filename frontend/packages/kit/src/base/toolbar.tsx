import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from './controls';
import type { Page } from './page';
import { isPhone } from './phone';
import { Popover } from './popover';

export interface ToolbarLineProps {
  readonly say: Page['t'];
  /** At the left, at any width: what the tab shows. */
  readonly first?: ComponentChildren;
  /** What is changed often. On a phone it is in the drawer. */
  readonly tools?: ComponentChildren;
  /** At the end, at any width: what adds or opens something. */
  readonly actions?: ComponentChildren;
  /** In a drawer that the toolbar opens: settings with words. */
  readonly display?: ComponentChildren;
}

/** The toolbar of a tab: one line, and a drawer for what is seldom changed or has no room on a phone. */
export function ToolbarLine({ say, first, tools, actions, display }: ToolbarLineProps): JSX.Element {
  const inDrawer = isPhone.value && tools;
  const drawer = inDrawer || display;
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <div class="toolbar" role="toolbar" aria-label={say('toolbar')}>
        {first}
        {!inDrawer && tools}
        {(drawer || actions) && <span class="spring" />}
        {actions}
        {drawer && (
          <Button
            action="display"
            text={say('display')}
            label={say('display')}
            expanded={open.value}
            opens="dialog"
            element={button}
            onPress={() => (open.value = !open.value)}
          />
        )}
      </div>
      {open.value && drawer && (
        <Popover
          anchor={button}
          class="drawer"
          role="dialog"
          label={say('display')}
          side="below-right"
          onClose={() => (open.value = false)}
        >
          <h2>{say('display')}</h2>
          {inDrawer}
          {display}
        </Popover>
      )}
    </>
  );
}
