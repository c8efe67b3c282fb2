import type { HistogramView } from './props';
import type { JSX } from 'preact';
import type { Page, Setting } from '@insight-host/kit';
import { Segments, Toggle, LinkSteps } from '@insight-host/kit';
import type { HistogramParts } from './parts';
import { BIN_COUNTS, STEP_COUNTS, VIEWS } from './answer';

interface Props<T> {
  readonly page: Page;
  readonly setting: Setting<T>;
}

/** Toolbar controls for the histogram view. */
function HistogramViewChoice({ page, setting }: Props<HistogramView>): JSX.Element {
  const options = VIEWS.map((value) => ({
    value,
    text: page.t(`histogram.view.${value}`),
    title: page.t(`histogram.view.${value}.hint`),
  }));
  return (
    <Segments
      name="view"
      label={page.t('histogram.view')}
      value={setting.value}
      options={options}
      onPick={(value) => setting.set(value)}
    />
  );
}

/** How many steps of each series are shown at most. */
function StepCountChoice({ page, setting }: Props<number>): JSX.Element {
  const most = STEP_COUNTS[STEP_COUNTS.length - 1] as number;
  const text = (count: number): string =>
    count === most
      ? page.t('histogram.steps.all')
      : page.t('histogram.steps.most', { steps: count.toLocaleString(page.locale.value) });
  return (
    <Choice name="step-count" label={page.t('histogram.steps')} setting={setting} known={STEP_COUNTS} text={text} />
  );
}

/** How many bins the values are counted in. */
function BinCountChoice({ page, setting }: Props<number>): JSX.Element {
  return (
    <Choice
      name="bin-count"
      label={page.t('histogram.bins')}
      setting={setting}
      known={[0, ...BIN_COUNTS]}
      text={(count) => (count === 0 ? page.t('histogram.bins.auto') : page.t('histogram.bins.count', { bins: count }))}
    />
  );
}

/** All of the toolbar that is about histograms. */
export function HistogramTools({ board }: { readonly board: HistogramParts }): JSX.Element {
  const { page, histograms, tags } = board;
  const { t: say } = page;
  const compare = histograms.compare.value;
  const many = [...tags.runsByTag.value.values()].some((runs) => runs.length > 1);
  return (
    <>
      {!compare && <HistogramViewChoice page={page} setting={histograms.view} />}
      {!compare && <StepCountChoice page={page} setting={histograms.stepCount} />}
      <BinCountChoice page={page} setting={histograms.binCount} />
      <Toggle
        action="outliers"
        text={say('histogram.outliers')}
        label={say('histogram.outliers.hint')}
        setting={histograms.outliers}
      />
      {!compare && many && (
        <Toggle
          action="range"
          text={say('histogram.range')}
          label={say('histogram.range.hint')}
          setting={histograms.sameRange}
        />
      )}
      {(compare || many) && (
        <Toggle
          action="compare"
          icon="compare"
          text={say('histogram.compare')}
          label={say('histogram.compare.hint')}
          setting={histograms.compare}
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
