import type { JSX } from 'preact';
import type { Setting } from '@insight-host/kit';
import { Choice, Select, Toggle } from '@insight-host/kit';
import { LinkSteps } from '@insight-host/kit/steps';
import type { HistogramParts } from './parts';
import { BIN_COUNTS, STEP_COUNTS, VIEWS } from './answer';

/** What of the toolbar is about histograms: how they are seen. */
export function HistogramTools({ board }: { readonly board: HistogramParts }): JSX.Element {
  const { page, histograms } = board;
  const { t: say } = page;
  const compare = histograms.compare.value;
  return (
    <>
      {!compare && (
        <Choice
          say={say}
          name="view"
          label={say('histogram.view')}
          words="histogram.view"
          values={VIEWS}
          setting={histograms.view}
        />
      )}
      {(compare || areMany(board)) && (
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

/** What of the drawer of a toolbar is about histograms: how many steps and bins, and their axis. */
export function HistogramDisplay({ board }: { readonly board: HistogramParts }): JSX.Element {
  const { page, histograms } = board;
  const { t: say } = page;
  const compare = histograms.compare.value;
  return (
    <>
      {!compare && (
        <CountChoice
          name="step-count"
          label={say('histogram.steps')}
          setting={histograms.stepCount}
          known={STEP_COUNTS}
          text={(steps) =>
            steps === STEP_COUNTS.at(-1)
              ? say('histogram.steps.all')
              : say('histogram.steps.most', { steps: steps.toLocaleString(page.locale.value) })
          }
        />
      )}
      <CountChoice
        name="bin-count"
        label={say('histogram.bins')}
        setting={histograms.binCount}
        known={[0, ...BIN_COUNTS]}
        text={(bins) => (bins === 0 ? say('histogram.bins.auto') : say('histogram.bins.count', { bins }))}
      />
      <Toggle
        action="outliers"
        text={say('histogram.outliers')}
        label={say('histogram.outliers.hint')}
        setting={histograms.outliers}
      />
      {!compare && areMany(board) && (
        <Toggle
          action="range"
          text={say('histogram.range')}
          label={say('histogram.range.hint')}
          setting={histograms.sameRange}
        />
      )}
    </>
  );
}

/** Whether a tag has several runs. */
const areMany = ({ tags }: HistogramParts): boolean =>
  [...tags.runsByTag.value.values()].some((runs) => runs.length > 1);

interface CountProps {
  readonly name: string;
  readonly label: string;
  readonly setting: Setting<number>;
  readonly known: readonly number[];
  readonly text: (count: number) => string;
}

/** How many there are; a URL may say any. */
function CountChoice({ name, label, setting, known, text }: CountProps): JSX.Element {
  const { value: chosen } = setting;
  const counts = known.includes(chosen) ? known : [...known, chosen].sort((a, b) => a - b);
  const options = counts.map((value) => ({ value, text: text(value) }));
  return <Select name={name} label={label} value={chosen} options={options} onPick={(count) => setting.set(count)} />;
}
