/** Times over steps as lines; a press chooses the step, in every view. */
import type { Line, LineChartProps } from '@insight-host/kit/lines';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import { unitSign, type TimeUnit } from '../units';
import { Curves, NO_MARKS } from './curves';

interface StepLinesProps {
  readonly board: ProfilerParts;
  readonly name: string;
  readonly title: string;
  /** With x a step's number, and y in `unit`. */
  readonly lines: readonly Line[];
  readonly unit: TimeUnit;
  readonly busy: boolean;
  readonly marks?: NonNullable<LineChartProps['marks']>;
  readonly tools?: JSX.Element | null;
}

export function StepLines({
  board,
  name,
  title,
  lines,
  unit,
  busy,
  marks = NO_MARKS,
  tools = null,
}: StepLinesProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  return (
    <Curves
      board={board}
      name={name}
      title={title}
      hint={say('overview.steps.hint')}
      lines={lines}
      xLabel={say('step')}
      yLabel={unitSign(unit)}
      busy={busy}
      marks={marks}
      xText={(x) => `${say('step')} ${x}`}
      yText={(y) => `${y.toLocaleString(locale, { maximumFractionDigits: 3 })} ${unitSign(unit)}`}
      onPress={(x, extend) => board.navigation.chooseStep(Math.round(x), extend)}
      tools={tools}
    />
  );
}
