import { Button, Popover, Range, Select, Toggle, type ButtonProps, type MenuItem } from '@insight-host/kit';
import { menuItems } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { openForFirst, setAxis, type ScalarParts } from '../board';
import { isMetric, KINDS, metricName } from '../card/axis';
import { CENTRES, fitsCentre, SPREADS } from '../feed/query';
import { MAX_SMOOTHING } from '../feed/smoothing';

const SETTLE = 120; // ms without a move of the slider before the server is asked

export function Tools({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say } = board.page;
  const x = board.x.value;
  return (
    <>
      <MenuButton
        action="x"
        text={isMetric(x) ? metricName(x, board.page, board.derived) : say(`x.${x}`)}
        label={say('x.label')}
        items={[
          ...KINDS.map((kind) => ({
            action: `x-${kind}`,
            text: say(`x.${kind}`),
            onPress: () => setAxis(board, kind),
          })),
          {
            action: 'x-metric',
            text: say('axis.title'),
            onPress: () => (board.dialog.value = { kind: 'axis', tag: '' }),
          },
        ]}
      />
      <Range
        id="smoothing"
        name="smoothing"
        label={say('smoothing')}
        hint={say('smoothing.hint')}
        setting={board.smoothing}
        low={0}
        high={MAX_SMOOTHING}
        step={0.001}
        numberStep={0.01}
        settle={SETTLE}
      />
      <Toggle action="log-y" text={say('log-y.short')} label={say('log-y.hint')} setting={board.logs.y} />
      <Toggle
        action="outliers"
        text={say(board.clipped.value ? 'outliers.clipped' : 'outliers.shown')}
        label={say('outliers.hint')}
        setting={board.clipped}
      />
      <GroupTools board={board} />
    </>
  );
}

/** What can be put on the page: a panel, a computed series, a note. */
export function AddMenu({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say } = board.page;
  const opening = (kind: 'panel' | 'derived') => () => (board.dialog.value = { kind, tag: '' });
  return (
    <MenuButton
      action="add"
      text={say('add.short')}
      label={say('add.label')}
      items={[
        { action: 'add-panel', text: say('panel.add'), onPress: opening('panel') },
        { action: 'derive', text: say('derived.open'), onPress: opening('derived') },
        { action: 'add-note', text: say('notes.title'), onPress: () => openForFirst(board, 'notes') },
      ]}
    />
  );
}

interface MenuButtonProps extends Pick<ButtonProps, 'action' | 'label' | 'text'> {
  readonly items: readonly MenuItem[];
}

/** A button with words that opens a menu. */
function MenuButton({ items, ...button }: MenuButtonProps): JSX.Element {
  const open = useSignal(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const close = (): void => void (open.value = false);
  return (
    <>
      <Button {...button} expanded={open.value} element={anchor} onPress={() => (open.value = !open.value)} />
      {open.value && (
        <Popover anchor={anchor} class="menu" role="menu" label={button.label} side="below-left" onClose={close}>
          {menuItems(items, close)}
        </Popover>
      )}
    </>
  );
}

/** While the run panel groups the runs: a button for what the line and the band of a group are. */
function GroupTools({ board }: { readonly board: ScalarParts }): JSX.Element | null {
  const { t: say } = board.page;
  if (!board.grouping.isOn.value) return null;
  const centre = board.centre.value;
  return (
    <PopoverButton
      action="bands"
      text={`${say(`chart.${centre}`)} · ${say(`spread.${board.shownSpread.value}`)}`}
      label={say('bands.label')}
      class="grouping"
    >
      <div class="bands">
        <Select
          name="centre"
          label={say('centre.label')}
          value={centre}
          options={CENTRES.map((value) => ({ value, text: say(`chart.${value}`) }))}
          onPick={(value) => board.centre.set(value)}
        />
        <Select
          name="spread"
          label={say('spread.label')}
          title={say(`spread.${board.shownSpread.value}.hint`)}
          value={board.shownSpread.value}
          options={SPREADS.map((value) => ({
            value,
            text: say(`spread.${value}`),
            title: say(`spread.${value}.hint`),
            disabled: !fitsCentre(value, centre),
          }))}
          onPick={(value) => board.spread.set(value)}
        />
      </div>
    </PopoverButton>
  );
}

interface PopoverButtonProps extends Pick<ButtonProps, 'action' | 'label' | 'icon' | 'text' | 'pressed'> {
  /** Class of the dialog. */
  readonly class: string;
  /** Name of the dialog; that of the button by default. */
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A button of the toolbar, and the small dialog that it opens. */
function PopoverButton({ class: name, title, children, ...button }: PopoverButtonProps): JSX.Element {
  const open = useSignal(false);
  const anchor = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button
        {...button}
        expanded={open.value}
        opens="dialog"
        element={anchor}
        onPress={() => (open.value = !open.value)}
      />
      {open.value && (
        <Popover
          anchor={anchor}
          class={name}
          role="dialog"
          label={title ?? button.label}
          side="below-left"
          onClose={() => (open.value = false)}
        >
          {children}
        </Popover>
      )}
    </>
  );
}
