/** Samples of one prompt: those of its step side by side, and over all steps as differences. */
import { Empty } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Line } from './answers';
import type { SamplesBoard } from './board';
import { short } from './charts';
import { DiffOf, LineFacts, useSample } from './difference';
import { Turn } from './turns';

interface SameProps {
  readonly board: SamplesBoard;
}

const MOST_BESIDE = 16;

export function SideBySide({ board }: SameProps): JSX.Element {
  const { t: say } = board.page;
  const answer = board.same.answer.value?.value;
  const failure = board.same.error.value;
  if (failure) return <Empty title={say('failure')} text={failure.reason} />;
  if (!answer) return <div class="turns" aria-busy={board.same.busy.value} />;
  const lines = answer.samples.slice(0, MOST_BESIDE);
  return (
    <>
      <p class="muted">{say('group.of', { count: answer.total })}</p>
      <div class="beside" data-testid="beside" tabIndex={0}>
        {lines.map((line) => (
          <Beside key={`${line.id}`} board={board} line={line} />
        ))}
      </div>
    </>
  );
}

function Beside({ board, line }: SameProps & { readonly line: Line }): JSX.Element {
  const asking = useSample(board, line);
  const sample = asking.value;
  const isShown = line.id === board.sample.value?.id;
  return (
    <article class={isShown ? 'shown' : ''}>
      <button type="button" class="pick" aria-pressed={isShown} onClick={() => board.open(line)}>
        <LineFacts board={board} line={line} />
      </button>
      {asking.error ??
        sample?.completion.map((message, at) => (
          <Turn key={at} board={board} message={message} side="completion" of={sample.of} />
        )) ?? <pre>{line.said}</pre>}
    </article>
  );
}

export function OverSteps({ board }: SameProps): JSX.Element {
  const { t: say } = board.page;
  const answer = board.same.answer.value?.value;
  const chosen = useSignal<string | null>(null);
  const failure = board.same.error.value;
  if (failure) return <Empty title={say('failure')} text={failure.reason} />;
  if (!answer) return <div class="turns" aria-busy={board.same.busy.value} />;
  const steps = new Map(answer.by_step);
  const first = new Map<number, Line>();
  for (const line of answer.samples) if (!first.has(line.step)) first.set(line.step, line);
  const lines = [...first.values()];
  const shown = board.line.value;
  const base = lines.find(({ id }) => id === chosen.value) ?? lines.find(({ step }) => step !== shown?.step) ?? null;
  return (
    <>
      <p class="muted">{say('over.of', { count: steps.size })}</p>
      <div class="over">
        <ol class="steps" data-testid="over-steps">
          {lines.map((line) => {
            const [mean, count] = steps.get(line.step) ?? [null, 0];
            return (
              <li key={line.id}>
                <button type="button" aria-pressed={line.id === base?.id} onClick={() => (chosen.value = line.id)}>
                  <span>{line.step}</span>
                  <b>{mean === null ? '–' : short(mean)}</b>
                  <span class="muted">× {count}</span>
                </button>
              </li>
            );
          })}
        </ol>
        {shown && base && <DiffOf board={board} before={base} after={shown} />}
      </div>
    </>
  );
}
