/** The settings of the drawer "Display": axes, smoothing, size of the cards, what a drag does, charts or table. */
import { AttemptsChoice, Button, Choice, Segments, Select, type Setting } from '@insight-host/kit';
import type { ComponentChildren, JSX } from 'preact';
import type { ScalarParts } from '../board';
import { LEAST, MOST, USUAL, type CardSizes } from '../card/card_size';
import { canSmooth, SMOOTHERS } from '../feed/smoothing';

interface Props {
  readonly board: ScalarParts;
}

export function DisplaySettings({ board }: Props): JSX.Element {
  const { t: say } = board.page;
  return (
    <>
      <Choice
        say={say}
        name="show"
        label={say('show.label')}
        values={['charts', 'table']}
        setting={board.layout}
        how="push"
      />
      {board.hasRestarts.value && <AttemptsChoice page={board.page} setting={board.attempts} />}
      <Flag board={board} setting={board.logs.x} name="log-x" disabled={board.x.value === 'wall'} />
      <Flag board={board} setting={board.link} name="link" />
      {board.smoothing.value > 0 && <Smoother board={board} />}
      <Field label={say('tool.label')}>
        <Segments
          name="tool"
          label={say('tool.label')}
          value={board.tool.value}
          options={(['box', 'pan'] as const).map((value) => ({
            value,
            text: say(`tool.${value}.short`),
            title: say(`tool.${value}`),
          }))}
          onPick={(value) => board.tool.set(value)}
        />
      </Field>
      <Slider board={board} name="width" />
      <Slider board={board} name="height" />
      <Button
        action="usual-size"
        text={say('size.usual')}
        label={say('size.usual')}
        onPress={() => board.size.set(USUAL)}
      />
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly children: ComponentChildren;
}

/** A line of the drawer: what is set, in words, and its control. */
function Field({ label, hint = label, children }: FieldProps): JSX.Element {
  return (
    <label class="field" title={hint}>
      <span>{label}</span>
      {children}
    </label>
  );
}

function Flag({
  board,
  setting,
  name,
  disabled = false,
}: Props & { readonly setting: Setting<boolean>; readonly name: string; readonly disabled?: boolean }): JSX.Element {
  return (
    <Field label={board.page.t(`${name}.short`)} hint={board.page.t(`${name}.hint`)}>
      <input
        type="checkbox"
        class="ih-checkbox"
        data-action={name}
        checked={setting.value}
        disabled={disabled}
        onChange={({ currentTarget }) => setting.set(currentTarget.checked)}
      />
    </Field>
  );
}

function Smoother({ board }: Props): JSX.Element {
  const { page, smoother } = board;
  const { t: say } = page;
  const isAbsent = (value: (typeof SMOOTHERS)[number]): boolean => page.ctx.isSnapshot && !canSmooth(value);
  return (
    <>
      <Field label={say('smoother.label')}>
        <Select
          name="smoother"
          label={say('smoother.label')}
          title={say(`smoother.${smoother.value}.hint`)}
          value={smoother.value}
          options={SMOOTHERS.map((value) => ({
            value,
            text: say(`smoother.${value}`),
            disabled: isAbsent(value),
            title: say(isAbsent(value) ? 'snapshot.absent' : `smoother.${value}.hint`),
          }))}
          onPick={(value) => smoother.set(value)}
        />
      </Field>
      <Flag board={board} setting={board.raw} name="raw" />
    </>
  );
}

const SLIDER = { width: 1600, height: MOST.height } as const; // pixels at the right end
const STEP = 20;

function Slider({ board, name }: { readonly board: ScalarParts; readonly name: keyof CardSizes }): JSX.Element {
  const text = board.page.t(`size.${name}`);
  const { value } = board.size.setting;
  return (
    <Field label={text}>
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
    </Field>
  );
}
