/** Two samples as a difference of words, and what the head of each says. */
import { Empty } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { textOf, type Line, type Sample } from './answers';
import { Asking } from './asking';
import type { SamplesBoard } from './board';
import { short } from './charts';
import { diffWords } from './diff';
import { Turn } from './turns';

interface LineProps {
  readonly board: SamplesBoard;
  readonly line: Line;
}

/** A sample at the head of a column: its step, scores and length. */
export function LineFacts({ board, line }: LineProps): JSX.Element {
  const { t: say } = board.page;
  const { value: score } = board.score;
  return (
    <span class="line-facts">
      <span>{say('step.at', { step: line.step })}</span>
      {Object.entries(line.scores)
        .filter(([name], at) => name === score || at < 3)
        .map(([name, value]) => (
          <span key={name}>
            {name} <b>{value === null ? '–' : short(value)}</b>
          </span>
        ))}
      {line.advantage !== null && (
        <span>
          {say('advantage')} <b class={line.advantage < 0 ? 'fell' : 'rose'}>{short(line.advantage)}</b>
        </span>
      )}
      <span>
        {say('length')} <b>{line.length === null ? '–' : short(line.length)}</b>
      </span>
      {line.signs.map((sign) => (
        <span key={sign} class={`sign ${sign}`}>
          {say(`sign.${sign}`)}
        </span>
      ))}
    </span>
  );
}

/** The answer to a question about one line, for as long as it is shown. */
export function useSample(
  board: SamplesBoard,
  line: Line | null,
  run?: string | null,
  source?: string,
): Asking<Sample> {
  const asking = useSignal(new Asking<Sample>(board.page)).value;
  const of = run ?? board.run.value;
  useEffect(() => {
    asking.ask(
      'sample',
      line && of !== null ? { run: of, source: source ?? board.source.peek(), id: line.id, size: line.size } : null,
    );
  }, [line?.id, line?.size, of, source]);
  return asking;
}

interface DiffOfProps {
  readonly board: SamplesBoard;
  readonly before: Line;
  readonly after: Line;
  /** Of the sample after; null: the run that is shown. */
  readonly run?: string | null;
  /** Whether the prompt is shown, too. */
  readonly asks?: boolean;
}

/** What was said before and after, word by word; both whole when asked for. */
export function DiffOf({ board, before, after, run = null, asks = false }: DiffOfProps): JSX.Element {
  const { t: say } = board.page;
  const beside = useSignal(false);
  const first = useSample(board, before);
  const second = useSample(board, after, run, run === null ? undefined : '');
  const [was, is] = [first.value.value, second.value.value];
  const pieces = useMemo(
    () => (was && is ? diffWords(textOf(was.completion), textOf(is.completion)) : null),
    [was, is],
  );
  const failure = first.failure.value ?? second.failure.value;
  return (
    <div class="turns difference" data-testid="difference" tabIndex={0} role="group" aria-label={say('difference')}>
      <p class="sides">
        <span class="removed">
          − <LineFacts board={board} line={before} />
        </span>
        <span class="added">
          + <LineFacts board={board} line={after} />
        </span>
        <button
          type="button"
          class="ih-button ih-small"
          aria-pressed={beside.value}
          onClick={() => (beside.value = !beside.value)}
        >
          {say('beside')}
        </button>
      </p>
      {failure !== null && <Empty title={say('failure')} text={failure} />}
      {asks && was?.prompt.map((message, at) => <Turn key={at} board={board} message={message} side="prompt" />)}
      {beside.value ? (
        <div class="beside">
          {[was, is].map((sample, side) => (
            <article key={side}>
              {sample?.completion.map((message, at) => (
                <Turn key={at} board={board} message={message} side="completion" />
              ))}
            </article>
          ))}
        </div>
      ) : (
        <pre class="diff">
          {pieces?.map(({ kind, text }, at) =>
            kind === 'same' ? text : kind === 'removed' ? <del key={at}>{text}</del> : <ins key={at}>{text}</ins>,
          )}
        </pre>
      )}
    </div>
  );
}
