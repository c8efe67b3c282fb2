import {
  AttemptsChoice,
  Button,
  Choice,
  Cluster,
  Range,
  Segments,
  Select,
  Toggle,
  type Setting,
} from '@insight-host/kit';
import type { JSX } from 'preact';
import { isMetric, KINDS, metricName } from './axis';
import { setAxis, type ScalarParts } from './board';
import { MAX_SMOOTHING } from './codecs';
import { GroupTools } from './group_tools';
import { SizeTools } from './size_tools';
import { canSmooth, SMOOTHERS } from './smoothers';

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
        <Flag board={board} setting={board.outliers} name="outliers" />
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
