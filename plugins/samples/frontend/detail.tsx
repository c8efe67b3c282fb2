/** One sample: its turns; the other samples of its prompt side by side; the same prompt at other steps. */
import { Choice, Empty, Toggle } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { Sample } from './answers';
import { DETAILS, type SamplesBoard } from './board';
import { short } from './charts';
import { OverSteps, SideBySide } from './same';
import { Turns } from './turns';

interface DetailProps {
  readonly board: SamplesBoard;
}

export function SampleView({ board }: DetailProps): JSX.Element {
  const { t: say } = board.page;
  const sample = board.shown.answer.value?.value;
  const failure = board.shown.error.value?.reason ?? null;
  return (
    <section class="pane detail" aria-label={say('sample')} data-testid="sample">
      <header>
        <Choice say={say} name="detail" label={say('detail')} values={DETAILS} setting={board.detail} />
        <Toggle action="render" label={say('rendered.hint')} text={say('rendered')} setting={board.isRendered} />
        {sample && <Facts board={board} sample={sample} />}
      </header>
      {failure !== null && <Empty title={say('failure')} text={failure} />}
      {board.detail.value === 'one' && sample && failure === null && (
        <Turns key={JSON.stringify(sample.of)} board={board} sample={sample} />
      )}
      {board.detail.value === 'group' && <SideBySide board={board} />}
      {board.detail.value === 'steps' && <OverSteps board={board} />}
    </section>
  );
}

/** Numbers of a sample, in a line. */
function Facts({ board, sample }: DetailProps & { readonly sample: Sample }): JSX.Element {
  const { t: say } = board.page;
  const facts: readonly (readonly [string, string])[] = [
    [say('step'), String(sample.step)],
    ...Object.entries(sample.scores).map(([name, value]): readonly [string, string] => [name, short(value ?? NaN)]),
    ...(sample.advantage === null ? [] : ([[say('advantage'), short(sample.advantage)]] as const)),
    sample.tokens === null ? [say('characters'), String(sample.characters)] : [say('tokens'), String(sample.tokens)],
    ...(sample.repetition >= 0.88
      ? ([[say('sign.repeated'), `${Math.round(sample.repetition * 100)} %`]] as const)
      : []),
    ...(sample.truncated ? ([[say('sign.truncated'), '✓']] as const) : []),
  ];
  return (
    <dl class="facts" data-testid="sample-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
