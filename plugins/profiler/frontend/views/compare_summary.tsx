import { Choice } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { openPlace, reasonText, savesText } from '../advice_texts';
import type { ComparedRow, ComparisonAnswer, StepTimeline, TitledAdvice } from '../answers/comparison';
import type { ProfileInfo } from '../answers/profile';
import type { Unit } from '../answers/table';
import type { ProfilerParts } from '../board';
import { useParts } from '../figures/drawing';
import { Figure } from '../figures/figure';
import { StepTimelines } from '../figures/step_timelines';
import { COMPARED } from '../settings';
import { LocalTable } from '../table/local_table';
import { useRanksAnswer } from '../use_answer';
import { categoryText } from '../words';
import { ComparedProfiles, leavesOutliers } from './compared_profiles';
import { ReadingRanks } from './reading_ranks';
import { Answered } from './state';

interface SummaryProps {
  readonly board: ProfilerParts;
  readonly base: ProfileInfo;
}

/** What of two profiles is compared. */
export function WhatCompared({ board }: { readonly board: ProfilerParts }): JSX.Element {
  const { t: say } = board.page;
  const hasKernels = (board.profiles.profile.value?.counts?.['kernels'] ?? 0) > 0;
  return (
    <Choice
      say={say}
      name="compared"
      label={say('compare.what')}
      words="compare.what"
      values={COMPARED.filter((one) => one !== 'kernels' || hasKernels)}
      setting={board.compared}
      how="push"
    />
  );
}

/** Steps, timelines, memory, communication and advice of two profiles. */
export function CompareSummary({ board, base }: SummaryProps): JSX.Element {
  const { t: say } = board.page;
  const [before, after] = [useSignal<number | null>(null), useSignal<number | null>(null)];
  const asked = useRanksAnswer<ComparisonAnswer>(
    board,
    'comparison',
    {
      base_run: base.run,
      base_profile: base.profile,
      base_step: before.value,
      step: after.value,
      steps: board.stepsQuery.value,
    },
    ({ advice, ranks }) => advice === null || ranks.unread > 0,
  );
  return (
    <div class="scroll">
      <div class="table-tools">
        <WhatCompared board={board} />
      </div>
      <Answered board={board} asked={asked}>
        {(answer) => (
          <>
            <ComparedProfiles board={board} base={base} answer={answer} />
            <Timelines board={board} answer={answer} busy={asked.busy} chosen={[before, after]} />
            <div class="pair tables">
              <Rows
                board={board}
                name="parts"
                title={say(leavesOutliers(answer) ? 'compare.parts.usual' : 'compare.parts')}
                rows={answer.parts}
                unit="ns"
                text={(name) => categoryText(board, name)}
              />
              <Rows board={board} name="memory" title={say('compare.memory')} rows={answer.memory} unit="bytes" />
              <Rows
                board={board}
                name="communication"
                title={say(
                  answer.per === 'total'
                    ? 'compare.communication.total'
                    : leavesOutliers(answer) && Object.keys(answer.limits).length === 0
                      ? 'compare.communication.usual'
                      : 'compare.communication',
                )}
                rows={answer.communication}
                unit="ns"
              />
            </div>
            <ComparedAdvice board={board} answer={answer} />
          </>
        )}
      </Answered>
    </div>
  );
}

interface RowsProps {
  readonly board: ProfilerParts;
  readonly name: string;
  readonly title: string;
  readonly rows: readonly ComparedRow[];
  readonly unit: Unit;
  readonly text?: (name: string) => string;
}

/** Numbers of both, and by how much they differ. */
function Rows({ board, name, title, rows, unit, text = (one) => one }: RowsProps): JSX.Element | null {
  if (rows.length === 0) return null;
  return (
    <LocalTable
      board={board}
      name={`compared-${name}`}
      title={title}
      columns={{ name: 'text', base: unit, value: unit, difference: unit, ratio: 'ratio' }}
      rows={rows.map(({ name: label, base, value }) => ({
        name: text(label),
        base,
        value,
        difference: (value ?? 0) - (base ?? 0),
        ratio: base && value !== null ? value / base : null,
      }))}
      sort=""
      widths={{ base: 130, value: 120, difference: 150, ratio: 90 }}
    />
  );
}

interface TimelinesProps {
  readonly board: ProfilerParts;
  readonly answer: ComparisonAnswer;
  readonly busy: boolean;
  readonly chosen: readonly { value: number | null }[];
}

function Timelines({ board, answer, busy, chosen }: TimelinesProps): JSX.Element | null {
  const { t: say } = board.page;
  const parts = useParts(1000);
  const steps = (['base', 'own'] as const).flatMap((which, at) => {
    const timeline = answer.timelines[at as 0 | 1];
    return timeline ? [{ which, at, timeline }] : [];
  });
  if (steps.length === 0) return null;
  return (
    <Figure
      board={board}
      name="aligned-steps"
      title={say('compare.timelines')}
      busy={busy}
      tools={steps.map(({ which, at, timeline }) => (
        <StepOf key={which} board={board} label={say(`compare.${which}`)} timeline={timeline} setting={chosen[at]} />
      ))}
    >
      <div ref={parts.host} class="drawing-place">
        <StepTimelines
          board={board}
          width={parts.width}
          steps={steps.map(({ which, timeline }) => ({
            title: `${say(`compare.${which}`)}, ${say('step')} ${timeline.number}`,
            timeline,
          }))}
        />
      </div>
      <p class="hint">{say('compare.timelines.hint')}</p>
    </Figure>
  );
}

function StepOf({
  board,
  label,
  timeline,
  setting,
}: {
  readonly board: ProfilerParts;
  readonly label: string;
  readonly timeline: StepTimeline;
  readonly setting: { value: number | null } | undefined;
}): JSX.Element {
  return (
    <label class="choice-of">
      {`${label}, ${board.page.t('step')}`}
      <select
        value={timeline.number}
        onChange={(event) => {
          if (setting) setting.value = Number(event.currentTarget.value);
        }}
      >
        {timeline.numbers.map((number) => (
          <option key={number} value={number}>
            {number}
          </option>
        ))}
      </select>
    </label>
  );
}

interface AdviceProps {
  readonly board: ProfilerParts;
  readonly answer: ComparisonAnswer;
}

/** What the view of advice says of both. */
function ComparedAdvice({ board, answer }: AdviceProps): JSX.Element {
  const { t: say } = board.page;
  return (
    <section class="figure" data-figure="compared-advice" aria-label={say('compare.advice')}>
      <header>
        <h3>{say('compare.advice')}</h3>
      </header>
      <ReadingRanks board={board} progress={answer.ranks} />
      {answer.ranks.unread > 0 && <p class="hint">{say('compare.advice.ranks')}</p>}
      {answer.advice === null ? (
        <p class="hint">{say('compare.advice.reading')}</p>
      ) : (
        (['gone', 'new', 'stays'] as const).map((kind) => (
          <Found key={kind} board={board} answer={answer} kind={kind} found={answer.advice?.[kind] ?? []} />
        ))
      )}
    </section>
  );
}

interface FoundProps extends AdviceProps {
  readonly kind: 'gone' | 'stays' | 'new';
  readonly found: readonly TitledAdvice[];
}

/** Findings that only one of the profiles has, or both. */
function Found({ board, answer, kind, found }: FoundProps): JSX.Element {
  const { t: say } = board.page;
  return (
    <div class="compared-advice" data-kind={kind}>
      <h4>{say(`compare.advice.${kind}`, { count: found.length })}</h4>
      <ul>
        {found.map((advice, i) => (
          <li key={i} data-advice={advice.rule}>
            <strong>{reasonText(board, answer, advice.title)}</strong>{' '}
            {[reasonText(board, answer, advice.saw), savesText(board, advice)].filter(Boolean).join(' · ')}{' '}
            {kind !== 'gone' &&
              advice.places.slice(0, 1).map((place) => (
                <button key={0} type="button" class="link" title={place.text} onClick={() => openPlace(board, place)}>
                  {say(`view.${place.view}`)}
                </button>
              ))}
          </li>
        ))}
      </ul>
    </div>
  );
}
