import {
  Button,
  Choice,
  Cluster,
  Download,
  Empty,
  FullScreen,
  FullScreenToggle,
  Icon,
  NumberBox,
  Range,
  Segments,
  Select,
  Toggle,
  ToolbarLine,
  type IconName,
} from '@insight-host/kit';
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Given } from '../given';

const view = signal<'front' | 'top'>('front');
const time = signal<'step' | 'relative' | 'wall'>('step');
const ICONS: readonly IconName[] = ['export', 'copy', 'pin', 'play', 'pause', 'link', 'search', 'warn', 'info'];

export function Buttons({ page }: Given): JSX.Element {
  const press = (): void => page.ctx.notify('info', 'pressed');
  return (
    <>
      <Button action="save" label="Save the table" text="Save" icon="export" onPress={press} />
      <Button action="reset" label="Reset" icon="reset" onPress={press} />
      <Button action="held" label="Held" text="Held" pressed onPress={press} />
      <Button action="off" label="Not now" text="Disabled" disabled onPress={press} />
    </>
  );
}

export function Toggles({ grid, values }: Given): JSX.Element {
  return (
    <Cluster>
      <Toggle action="grid" label="Show the grid" text="Grid" setting={grid} />
      <Toggle action="values" label="Show values" text="Values" setting={values} />
      <Toggle action="never" label="Cannot be shown" text="Disabled" setting={values} disabled />
    </Cluster>
  );
}

/** On a phone the grid is in the drawer, too. */
export function ToolsInOneLine({ page, grid, values }: Given): JSX.Element {
  return (
    <ToolbarLine
      say={page.t}
      first={
        <Button action="first" label="The first step" text="First" onPress={() => page.ctx.notify('info', 'first')} />
      }
      tools={<Toggle action="grid" label="Show the grid" text="Grid" setting={grid} />}
      display={<Toggle action="values" label="Show values" text="Values" setting={values} />}
    />
  );
}

const SIDES = [
  { value: 'front', text: 'Front' },
  { value: 'top', text: 'Top', title: 'Seen from above' },
] as const;
const pick = (value: 'front' | 'top'): void => void (view.value = value);

export function Choices(): JSX.Element {
  return (
    <>
      <Segments name="sides" label="Side" value={view.value} options={SIDES} onPick={pick} />
      <Select name="side" label="Side" value={view.value} options={SIDES} onPick={pick} />
    </>
  );
}

/** Its words are in the catalogue. */
export function ChoiceOfWords({ page }: Given): JSX.Element {
  return (
    <Choice
      say={page.t}
      name="time"
      label={page.t('time.label')}
      words="time.kind"
      values={['step', 'relative', 'wall']}
      setting={{ value: time.value, set: (value) => void (time.value = value) }}
    />
  );
}

export function Ranges({ amount }: Given): JSX.Element {
  return <Range name="amount" label="Smoothing" setting={amount} low={0} high={1} step={0.01} />;
}

export function Numbers({ amount }: Given): JSX.Element {
  return (
    <NumberBox
      name="digits"
      label="Digits"
      value={amount.value}
      low={0}
      high={1}
      step={0.1}
      onPick={(value) => amount.set(value)}
    />
  );
}

export function Downloads(): JSX.Element {
  return <Download label="Download what the address answers" href="data:text/plain,saved" />;
}

export function Icons(): JSX.Element {
  return (
    <>
      {ICONS.map((name) => (
        <span key={name} title={name}>
          <Icon name={name} />
        </span>
      ))}
    </>
  );
}

export function FillTheScreen({ page, full }: Given): JSX.Element {
  return (
    <>
      <FullScreenToggle page={page} setting={full} />
      <FullScreen page={page} isFull={full.value} onPress={() => full.set(!full.value)} />
    </>
  );
}

export function NothingToShow(): JSX.Element {
  return (
    <Empty title="No numbers" text="Log a scalar to see it here.">
      <button type="button">What to do</button>
    </Empty>
  );
}
