import {
  AttemptsChoice,
  Button,
  Choice,
  Cluster,
  Popover,
  Range,
  Segments,
  Select,
  Toggle,
  type ButtonProps,
  type Setting,
} from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { setAxis, type ScalarParts } from '../board';
import { isMetric, KINDS, metricName } from '../card/axis';
import { LEAST, MOST, USUAL, type CardSizes } from '../card/card_size';
import { CENTRES, fitsCentre, SPREADS } from '../feed/query';
import { canSmooth, MAX_SMOOTHING, SMOOTHERS } from '../feed/smoothing';

const SETTLE = 120; // ms without a move of the slider before the server is asked

export function Tools({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say } = board.page;
  const x = board.x.value;
  return (
    <>
      <Segments
        name="x"
        label={say('x.label')}
        value={isMetric(x) ? 'metric' : x}
        options={[
          ...KINDS.map((value) => ({ value, text: say(`x.${value}`) })),
          {
            value: 'metric' as const,
            text: isMetric(x) ? metricName(x, board.page, board.derived) : say('x.metric'),
            title: say('axis.title'),
          },
        ]}
        onPick={(value) => {
          if (value === 'metric') board.dialog.value = { kind: 'axis', tag: '' };
          else setAxis(board, value);
        }}
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
      {board.smoothing.value > 0 && (
        <Cluster>
          <Select
            name="smoother"
            label={say('smoother.label')}
            title={say(`smoother.${board.smoother.value}.hint`)}
            value={board.smoother.value}
            options={SMOOTHERS.map((value) => ({
              value,
              text: say(`smoother.${value}`),
              disabled: board.page.ctx.isSnapshot && !canSmooth(value),
              title: say(board.page.ctx.isSnapshot && !canSmooth(value) ? 'snapshot.absent' : `smoother.${value}.hint`),
            }))}
            onPick={(value) => board.smoother.set(value)}
          />
          <Flag board={board} setting={board.raw} name="raw" />
        </Cluster>
      )}
      <Cluster>
        <Button
          action="tool-box"
          icon="box"
          label={say('tool.box')}
          pressed={board.tool.value === 'box'}
          onPress={() => board.tool.set('box')}
        />
        <Button
          action="tool-pan"
          icon="pan"
          label={say('tool.pan')}
          pressed={board.tool.value === 'pan'}
          onPress={() => board.tool.set('pan')}
        />
      </Cluster>
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
      <GroupTools board={board} />
      <Button
        action="derive"
        text="ƒ(x)"
        label={say('derived.open')}
        onPress={() => (board.dialog.value = { kind: 'derived', tag: '' })}
      />
      <Button
        action="add-panel"
        text={say('panel.short')}
        label={say('panel.add')}
        onPress={() => (board.dialog.value = { kind: 'panel', tag: '' })}
      />
      <Cluster>
        <Flag board={board} setting={board.logs.y} name="log-y" />
        <Flag board={board} setting={board.logs.x} name="log-x" disabled={x === 'wall'} />
        <Toggle
          action="outliers"
          text={say(board.clipped.value ? 'outliers.clipped' : 'outliers.shown')}
          label={say('outliers.hint')}
          setting={board.clipped}
        />
        <Flag board={board} setting={board.link} name="link" />
      </Cluster>
      <SizeTools board={board} />
      <Choice
        say={say}
        name="show"
        label={say('show.label')}
        values={['charts', 'table']}
        setting={board.layout}
        how="push"
      />
    </>
  );
}

function Flag({
  board,
  setting,
  name,
  disabled = false,
}: {
  readonly board: ScalarParts;
  readonly setting: Setting<boolean>;
  readonly name: string;
  readonly disabled?: boolean;
}): JSX.Element {
  return (
    <Toggle
      action={name}
      text={board.page.t(`${name}.short`)}
      label={board.page.t(`${name}.hint`)}
      setting={setting}
      disabled={disabled}
    />
  );
}

const SLIDER = { width: 1600, height: MOST.height } as const; // pixels at the right end
const STEP = 20;

/** A button for the size of the cards. */
function SizeTools({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <PopoverButton action="card-size" icon="fit" label={say('size.open')} class="card-size">
      <Slider board={board} name="width" />
      <Slider board={board} name="height" />
      <Button
        action="usual-size"
        text={say('size.usual')}
        label={say('size.usual')}
        onPress={() => board.size.set(USUAL)}
      />
    </PopoverButton>
  );
}

function Slider({ board, name }: { readonly board: ScalarParts; readonly name: keyof CardSizes }): JSX.Element {
  const text = board.page.t(`size.${name}`);
  const { value } = board.size.setting;
  return (
    <label>
      <span>{text}</span>
      <input
        type="range"
        name={`card-${name}`}
        min={LEAST[name]}
        max={SLIDER[name]}
        step={STEP}
        value={Math.min(SLIDER[name], value[name])}
        aria-valuetext={board.page.t('size.pixels', { count: value[name] })}
        onInput={({ currentTarget }) => board.size.set({ [name]: Number(currentTarget.value) })}
      />
    </label>
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
