import type { HistogramView } from 'insight-host';
import type { JSX } from 'preact';
import type { Board, TagInfo } from './board';
import { Segments } from './controls';
import { BIN_COUNTS, STEP_COUNTS, VIEWS } from './histograms';
import type { Setting } from './tab_state';

interface Props<Info extends TagInfo, T> {
  readonly board: Board<Info>;
  readonly setting: Setting<T>;
}

/** The toolbar's choice of how histograms are drawn. */
export function HistogramViewChoice<Info extends TagInfo>({ board, setting, views = VIEWS }: Props<Info, HistogramView> & { readonly views?: readonly HistogramView[] }): JSX.Element {
  const options = views.map((value) => ({ value, text: board.t(`histogram.view.${value}`), title: board.t(`histogram.view.${value}.hint`) }));
  return <Segments name="view" label={board.t('histogram.view')} value={setting.value} options={options} onPick={(value) => setting.set(value)} />;
}

/** How many steps of each series are shown at most. */
export function StepCountChoice<Info extends TagInfo>({ board, setting }: Props<Info, number>): JSX.Element {
  const most = STEP_COUNTS[STEP_COUNTS.length - 1] as number;
  const text = (count: number): string => (count === most ? board.t('histogram.steps.all') : board.t('histogram.steps.most', { steps: count.toLocaleString(board.locale.value) }));
  return <Choice name="step-count" label={board.t('histogram.steps')} setting={setting} known={STEP_COUNTS} text={text} />;
}

/** How many bins the values are counted in. */
export function BinCountChoice<Info extends TagInfo>({ board, setting }: Props<Info, number>): JSX.Element {
  return <Choice name="bin-count" label={board.t('histogram.bins')} setting={setting} known={[0, ...BIN_COUNTS]} text={(count) => (count === 0 ? board.t('histogram.bins.auto') : board.t('histogram.bins.count', { bins: count }))} />;
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
    <select data-control={name} aria-label={label} title={label} value={setting.value} onChange={(event) => setting.set(Number(event.currentTarget.value))}>
      {values.map((value) => <option key={value} value={value}>{text(value)}</option>)}
    </select>
  );
}
