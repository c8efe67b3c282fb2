import { Button, Dialog, Menu, Popover, Tooltip } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Given } from '../given';

export function Menus({ page }: Given): JSX.Element {
  const items = (): { action: string; text: string; onPress?: () => void; href?: string; download?: string }[] => [
    { action: 'copy', text: 'Copy', onPress: () => page.ctx.notify('info', 'copied') },
    { action: 'csv', text: 'Save as CSV', href: 'data:text/csv,step', download: 'steps.csv' },
  ];
  return <Menu action="more" icon="export" label="Export" items={items} />;
}

export function Popovers(): JSX.Element {
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button
        action="marks"
        label="Choose a mark"
        text="Mark"
        element={button}
        expanded={open.value}
        onPress={() => (open.value = !open.value)}
      />
      {open.value && (
        <Popover
          anchor={button}
          class="menu"
          role="radiogroup"
          label="Mark"
          side="below-left"
          onClose={() => (open.value = false)}
        >
          <button type="button" role="radio" aria-checked>
            Good
          </button>
          <button type="button" role="radio" aria-checked={false}>
            Bad
          </button>
        </Popover>
      )}
    </>
  );
}

export function Tooltips(): JSX.Element {
  const at = useSignal<readonly [number, number] | null>(null);
  return (
    <span
      onPointerMove={(event) => (at.value = [event.clientX, event.clientY])}
      onPointerLeave={() => (at.value = null)}
    >
      Point here
      {at.value && (
        <Tooltip x={at.value[0]} y={at.value[1]}>
          step 120 · 0.25
        </Tooltip>
      )}
    </span>
  );
}

export function Dialogs(): JSX.Element {
  const open = useSignal(false);
  return (
    <>
      <Button action="dialog" label="Open a dialog" text="Open" onPress={() => (open.value = true)} />
      {open.value && (
        <Dialog
          name="example"
          title="A dialog"
          onClose={() => (open.value = false)}
          onSubmit={() => (open.value = false)}
          foot={
            <button type="submit" class="primary">
              Add panel
            </button>
          }
        >
          <p>The focus stays in it. Escape and a press outside close it.</p>
        </Dialog>
      )}
    </>
  );
}
