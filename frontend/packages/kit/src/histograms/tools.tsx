import type { HistogramView } from './props';
import type { JSX } from 'preact';
import type { Board, TagInfo, Setting } from '@insight-host/kit';
import { Segments, Toggle, LinkSteps } from '@insight-host/kit';
import type { HistogramBoard } from './board';
import { BIN_COUNTS, STEP_COUNTS, VIEWS } from './answer';

interface Props<Info extends TagInfo, T> {
  readonly board: Board<Info>;
  readonly setting: Setting<T>;
}

/** Toolbar controls for the histogram view. */
function HistogramViewChoice<Info extends TagInfo>({ board, setting }: Props<Info, HistogramView>): JSX.Element {
  const options = VIEWS.map((value) => ({
    value,
    text: board.t(`histogram.view.${value}`),
    title: board.t(`histogram.view.${value}.hint`),
  }));
  return (
    <Segments
      name="view"
      label={board.t('histogram.view')}
      value={setting.value}
      options={options}
      onPick={(value) => setting.set(value)}
    />
  );
}

/** How many steps of each series are shown at most. */
function StepCountChoice<Info extends TagInfo>({ board, setting }: Props<Info, number>): JSX.Element {
  const most = STEP_COUNTS[STEP_COUNTS.length - 1] as number;
  const text = (count: number): string =>
    count === most
      ? board.t('histogram.steps.all')
      : board.t('histogram.steps.most', { steps: count.toLocaleString(board.locale.value) });
  return (
    <Choice name="step-count" label={board.t('histogram.steps')} setting={setting} known={STEP_COUNTS} text={text} />
  );
}

/** How many bins the values are counted in. */
function BinCountChoice<Info extends TagInfo>({ board, setting }: Props<Info, number>): JSX.Element {
  return (
    <Choice
      name="bin-count"
      label={board.t('histogram.bins')}
      setting={setting}
      known={[0, ...BIN_COUNTS]}
      text={(count) =>
        count === 0 ? board.t('histogram.bins.auto') : board.t('histogram.bins.count', { bins: count })
      }
    />
  );
}

/** All of the toolbar that is about histograms. */
export function HistogramTools<Info extends TagInfo>({ board }: { readonly board: HistogramBoard<Info> }): JSX.Element {
  const say = board.t;
  const compare = board.compare.value;
  const many = [...board.runsByTag.value.values()].some((runs) => runs.length > 1);
  return (
    <>
      {!compare && <HistogramViewChoice board={board} setting={board.view} />}
      {!compare && <StepCountChoice board={board} setting={board.stepCount} />}
      <BinCountChoice board={board} setting={board.binCount} />
      <Toggle
        action="outliers"
        text={say('histogram.outliers')}
        label={say('histogram.outliers.hint')}
        setting={board.outliers}
      />
      {!compare && many && (
        <Toggle
          action="range"
          text={say('histogram.range')}
          label={say('histogram.range.hint')}
          setting={board.sameRange}
        />
      )}
      {(compare || many) && (
        <Toggle
          action="compare"
          icon="compare"
          text={say('histogram.compare')}
          label={say('histogram.compare.hint')}
          setting={board.compare}
        />
      )}
      {compare && <LinkSteps board={board} />}
    </>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly setting: Setting<number>;
  readonly known: readonly number[];
  readonly text: (value: number) => string;
}

function Choice({ name, label, setting, known, text }: ChoiceProps): JSX.Element {
  const values = known.includes(setting.value) ? known : [...known, setting.value].sort((a, b) => a - b); // a URL may say any
  return (
    <select
      data-control={name}
      aria-label={label}
      title={label}
      value={setting.value}
      onChange={(event) => setting.set(Number(event.currentTarget.value))}
    >
      {values.map((value) => (
        <option key={value} value={value}>
          {text(value)}
        </option>
      ))}
    </select>
  );
}
