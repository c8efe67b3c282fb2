/** One typical step as lanes of the host and of devices; a press opens the timeline there. */
import type { JSX } from 'preact';
import type { StepTimeline } from '../answers/comparison';
import type { ProfilerParts } from '../board';
import { useParts } from '../figures/drawing';
import { Figure } from '../figures/figure';
import { StepTimelines } from '../figures/step_timelines';
import { timeText } from '../units';

interface Props {
  readonly board: ProfilerParts;
  readonly step: StepTimeline;
  /** How many steps it is chosen from. */
  readonly count: number;
}

export function OneStep({ board, step, count }: Props): JSX.Element | null {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const parts = useParts(1000);
  if (step.lanes.length === 0) return null;
  const leads = board.navigation.views.value.includes('timeline');
  const open = (): void => board.navigation.openSpan({ from: step.start, to: step.start + step.duration });
  return (
    <Figure
      board={board}
      name="one-step"
      title={say('overview.one_step')}
      data={() => ({
        head: ['lane', 'category', 'start_ns', 'end_ns'],
        rows: step.lanes.flatMap(({ label, runs }) =>
          runs.map(({ start, end, category }) => [label, category, start, end]),
        ),
      })}
      tools={
        leads && (
          <button type="button" class="link" data-action="open-step" onClick={open}>
            {say('overview.one_step.open')}
          </button>
        )
      }
    >
      <p class="hint">
        {say(count > 1 ? 'overview.one_step.of' : 'overview.one_step.only', {
          number: step.number,
          count,
          time: timeText(step.duration, locale),
        })}
      </p>
      <div
        ref={parts.host}
        class={leads ? 'drawing-place leads' : 'drawing-place'}
        onClick={leads ? open : undefined}
        data-testid="one-step"
      >
        <StepTimelines board={board} width={parts.width} steps={[{ title: '', timeline: step }]} />
      </div>
    </Figure>
  );
}
